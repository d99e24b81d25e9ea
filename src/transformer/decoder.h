// A stack of decoder layers and the state that it carries from token to token.
#pragma once

#include <vector>

#include "transformer/decoder_layer.h"
#include "transformer/encoder.h"

namespace transformer {

// What the decoder remembers of its sequences. Made by Decoder::start, advanced by Decoder::forward, never by itself.
class DecoderState {
 public:
  int rows() const { return self_.empty() ? 0 : self_.front().rows(); }
  int length(int row) const { return self_.front().length(row); }  // tokens seen

  // Row i goes on from what row sources[i] was: the beams that live on.
  void reorder(std::span<const int> sources, ThreadPool& threads);

 private:
  friend class Decoder;
  std::vector<Buffer> buffers_;
  std::vector<KvCache> self_;   // one a layer
  std::vector<KvCache> cross_;  // one a layer, or none
};

// The encoder's output as the decoder sees it.
struct Memory {
  ConstView states = {};  // [batch * keys, d_model]; none for a decoder alone
  int batch = 0;
  int keys = 0;
};

class Decoder {
 public:
  // scope: layers.0, layers.1, ..., norm where there is one, what the position scheme has, and the input layer's
  Decoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding);

  bool has_cross_attention() const { return cross_attention_; }
  int max_length() const { return positions_->max_length(); }

  // An empty state for `rows` sequences of up to `capacity` tokens; rows is a multiple of memory.batch, and so many
  // neighbouring rows attend to the same memory, whose keys and values are computed here. Cross-attention sees the
  // tokens of all of them as the queries of one sequence, which they may be since none is masked from another: the
  // beams of a sentence meet its keys in one product. Its masks and what it shows have memory.batch rows.
  DecoderState start(const Memory& memory, int rows, int capacity, Workspace& workspace) const;

  // The next tokens of every row -> hidden [rows * time, d_model].
  // Observable, all below "decoder": embeddings, what layers.i show, layers.i.output, output (after the final norm).
  void forward(const Sequences& next, DecoderState& state, DecoderMasks masks, View hidden, Workspace& workspace) const;

  // The final norm alone, in place: makes of a layer's states what they would be if it were the last one.
  void normalize(View hidden, Workspace& workspace) const;

 private:
  std::shared_ptr<const PositionScheme> positions_;
  InputLayer input_;
  bool cross_attention_;
  std::vector<DecoderLayer> layers_;
  std::optional<Norm> norm_;
};

}  // namespace transformer
