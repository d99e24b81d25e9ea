// Everything that tells one transformer from another: a plain description, whatever file it came from.
#pragma once

#include "attention/position_bias.h"
#include "kernels/activation.h"
#include "layers/norm.h"
#include "layers/positional_encoding.h"
#include "layers/rotary_embedding.h"
#include "transformer/head.h"

namespace transformer {

// Where a sub-layer's norm stands: LayerNorm(x + Sublayer(x)) as in the paper, or x + Sublayer(LayerNorm(x))
// (Xiong et al. 2020).
enum class NormPlace { kPost, kPre };

enum class Positions { kNone, kSinusoidal, kLearned, kRotary, kAlibi, kRelative };

// One encoder or decoder layer.
struct LayerConfig {
  int d_model = 0;
  int num_heads = 0;
  int num_kv_heads = 0;
  int d_head = 0;
  int d_ff = 0;
  Activation activation = Activation::kRelu;
  bool gated = false;
  bool attention_bias = true;  // of the four projections
  bool key_bias = true;        // of the keys' projection, where the others have one
  bool feed_forward_bias = true;
  NormPlace norm_place = NormPlace::kPost;
  NormConfig norm = {};
  float attention_scale = 0.0f;  // 0: 1 / sqrt(d_head)
};

// The encoder or the decoder.
struct StackConfig {
  int num_layers = 0;
  LayerConfig layer = {};
  int vocab = 0;                // of its embedding; 0: vectors of d_model go in
  int max_length = 0;           // of its table of positions; 0: that of the model
  int token_types = 0;          // kinds of tokens with an embedding of their own, added to the other (BERT's segments)
  bool embedding_norm = false;  // before the first layer
  bool norm = false;            // after the last layer
};

// The whole model. With encoder and decoder it is the paper's; with one of them alone it is BERT's or GPT's shape.
struct TransformerConfig {
  StackConfig encoder;
  StackConfig decoder;
  bool share_embeddings = false;  // source and target have one table
  float embedding_scale = 1.0f;

  Positions positions = Positions::kNone;
  int max_length = 0;  // of the tables of sinusoidal, learned and rotary positions
  SinusoidLayout sinusoid_layout = SinusoidLayout::kInterleaved;
  int position_offset = 0;  // the sinusoidal position of the first token
  RotaryLayout rotary_layout = RotaryLayout::kHalves;
  double rotary_base = 10000.0;
  int relative_buckets = 32;
  int relative_max_distance = 128;

  HeadConfig pooler;  // from the first state of a model without a decoder; its result is given beside the states
  HeadConfig head;    // between the last states and the logits

  // hidden state -> logits [output_vocab]
  int output_vocab = 0;  // 0: no output projection
  bool projection_bias = false;
  bool tie_embeddings = false;    // the projection is the last stack's embedding
  float projection_scale = 1.0f;  // of the hidden state before it

  int d_model() const { return (encoder.num_layers > 0 ? encoder : decoder).layer.d_model; }
  // Whether there are positions for max_length tokens only.
  bool has_position_table() const {
    return positions == Positions::kSinusoidal || positions == Positions::kLearned || positions == Positions::kRotary;
  }
};

// Throws invalid_argument with the names that the user gave where the numbers cannot be a transformer.
void validate(const TransformerConfig& config);

}  // namespace transformer
