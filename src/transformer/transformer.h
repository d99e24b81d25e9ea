// The transformer: "Attention is all you need" (Vaswani et al. 2017, figure 1).
//
//   tokens -> embedding + positions -> encoder -> memory             (or sound, pictures -> front end -> encoder)
//   tokens so far -> embedding + positions -> decoder, attending to memory -> linear -> logits of the next token
#pragma once

#include "transformer/decoder.h"
#include "transformer/encoder.h"
#include "transformer/output_projection.h"

namespace transformer {

class Transformer {
 public:
  // weights: embedding (shared) or encoder.embedding and decoder.embedding, front.*, encoder.*, decoder.*, pool.*,
  // pooler.*, head.*, contrast.*, projection. Takes what it needs; bad_checkpoint names a tensor that is missing or has
  // the wrong shape.
  Transformer(Weights& weights, const TransformerConfig& config);

  const TransformerConfig& config() const { return config_; }
  bool has_encoder() const { return encoder_.has_value(); }
  bool has_decoder() const { return decoder_.has_value(); }
  bool has_projection() const { return projection_.has_value(); }
  // Null where the model has none.
  const FrontEnd* front() const { return front_ ? &*front_ : nullptr; }
  const AttentionPool* pool() const { return pool_ ? &*pool_ : nullptr; }
  const Contrast* contrast() const { return contrast_ ? &*contrast_ : nullptr; }
  const OutputHead* head() const { return head_ ? &*head_ : nullptr; }
  const OutputHead* pooler() const { return pooler_ ? &*pooler_ : nullptr; }
  std::size_t parameter_count() const { return parameter_count_; }

  const Encoder& encoder() const { return *encoder_; }
  const Decoder& decoder() const { return *decoder_; }
  const OutputProjection& projection() const { return *projection_; }

 private:
  TransformerConfig config_;
  std::optional<FrontEnd> front_;
  std::optional<Encoder> encoder_;
  std::optional<Decoder> decoder_;
  std::optional<AttentionPool> pool_;
  std::optional<OutputHead> pooler_;
  std::optional<OutputHead> head_;
  std::optional<Contrast> contrast_;
  std::optional<OutputProjection> projection_;
  std::size_t parameter_count_ = 0;
};

}  // namespace transformer
