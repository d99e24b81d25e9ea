// The recurrent encoder-decoder with attention, ten years before today: Bahdanau, Cho and Bengio 2015, and Luong, Pham
// and Manning 2015.
//
//   source tokens -> embedding -> recurrent layers -> memory, a state for each token
//   tokens so far -> embedding -> recurrent decoder, attending to memory -> linear -> logits of the next token
#pragma once

#include "recurrent/decoder.h"

namespace transformer {

// A batch of source sentences, padded at the end; what lies beyond a sentence's length is never read.
struct RecurrentSource {
  std::span<const int> ids = {};  // [batch * time]
  int batch = 0;
  int time = 0;
  std::span<const int> lengths = {};  // [batch]; none: all of `time`
};

class RecurrentEncoder {
 public:
  // scope: gru or lstm
  RecurrentEncoder(const WeightScope& scope, const RecurrentConfig& config, SharedMatrix embedding);

  // Offers, all below "encoder", as [batch, time, ...]: embeddings, layers.i.output, output.
  RecurrentMemory forward(const RecurrentSource& source, Workspace& workspace) const;

 private:
  // ids [batch * time] -> x [batch * time, d_embedding], zeros beyond a sentence's length
  void embed(std::span<const int> ids, std::span<const int> lengths, View x) const;

  Embedding embedding_;
  RecurrentLayers layers_;
};

class RecurrentEncoderDecoder {
 public:
  // weights: embedding (shared) or encoder.embedding and decoder.embedding, encoder.*, decoder.*, projection. Takes
  // what it needs; bad_checkpoint names a tensor that is missing or has the wrong shape.
  RecurrentEncoderDecoder(Weights& weights, const RecurrentConfig& config);

  const RecurrentConfig& config() const { return config_; }
  std::size_t parameter_count() const { return parameter_count_; }

  const RecurrentEncoder& encoder() const { return *encoder_; }
  const RecurrentDecoder& decoder() const { return *decoder_; }
  const Linear& projection() const { return *projection_; }  // from a decoder's readout to the logits

 private:
  RecurrentConfig config_;
  std::optional<RecurrentEncoder> encoder_;
  std::unique_ptr<const RecurrentDecoder> decoder_;
  std::optional<Linear> projection_;
  std::size_t parameter_count_ = 0;
};

}  // namespace transformer
