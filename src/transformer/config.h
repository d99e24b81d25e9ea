// Everything that tells one transformer from another: a plain description, whatever file it came from.
#pragma once

#include "attention/multi_head.h"
#include "layers/feed_forward.h"
#include "layers/norm.h"
#include "positions/positions.h"
#include "transformer/head.h"

namespace transformer {

// Where a sub-layer's norm stands: LayerNorm(x + Sublayer(x)) as in the paper, or x + Sublayer(LayerNorm(x))
// (Xiong et al. 2020).
enum class NormPlace { kPost, kPre };

constexpr auto enum_names(NormPlace) {
  return std::to_array<Named<NormPlace>>({{"post", NormPlace::kPost}, {"pre", NormPlace::kPre}});
}

// One encoder or decoder layer.
struct LayerConfig {
  int d_model = 0;
  AttentionConfig attention = {};  // self-attention and cross-attention alike
  FeedForwardConfig feed_forward = {};
  NormPlace norm_place = NormPlace::kPost;
  NormConfig norm = {};
};

// The parts of a layer, as wide as the layer.
AttentionConfig attention_of(const LayerConfig& layer);
FeedForwardConfig feed_forward_of(const LayerConfig& layer);

// The encoder or the decoder.
struct StackConfig {
  int num_layers = 0;
  LayerConfig layer = {};
  Positions positions = {};
  int vocab = 0;                // of its embedding; 0: takes vectors of d_model
  int token_types = 0;          // kinds of tokens with an embedding of their own, added to the other (BERT's segments)
  bool embedding_norm = false;  // before the first layer
  bool norm = false;            // after the last layer
};

// The output projection: hidden state -> logits [vocab].
struct ProjectionConfig {
  int vocab = 0;  // 0: none
  bool bias = false;
  bool tied = false;   // its matrix is the last stack's embedding (Press and Wolf 2017)
  float scale = 1.0f;  // of the hidden state before it
};

// The whole model. With encoder and decoder it is the paper's; with one of them alone it is BERT's or GPT's shape.
struct TransformerConfig {
  StackConfig encoder;
  StackConfig decoder;
  bool share_embeddings = false;  // source and target have one table
  float embedding_scale = 1.0f;
  HeadConfig pooler;  // from the first state of a model without a decoder; its result is given beside the states
  HeadConfig head;    // between the last states and the logits
  ProjectionConfig projection;

  const StackConfig& last_stack() const { return decoder.num_layers > 0 ? decoder : encoder; }
  int d_model() const { return last_stack().layer.d_model; }
};

// Throws invalid_argument with the names that the user gave where the numbers cannot be a transformer.
void validate(const TransformerConfig& config);

}  // namespace transformer
