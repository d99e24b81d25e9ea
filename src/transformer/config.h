// Everything that tells one transformer from another: a plain description, whatever file it came from.
#pragma once

#include "attention/position_bias.h"
#include "kernels/activation.h"
#include "layers/norm.h"
#include "layers/positional_encoding.h"
#include "layers/rotary_embedding.h"

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
  bool bias = true;  // of the linear layers
  NormPlace norm_place = NormPlace::kPost;
  NormConfig norm;
  float attention_scale = 0.0f;  // 0: 1 / sqrt(d_head)
};

// The whole model. With encoder and decoder it is the paper's; with one of them alone it is BERT's or GPT's shape.
struct TransformerConfig {
  LayerConfig layer;
  int num_encoder_layers = 0;
  int num_decoder_layers = 0;

  // Token ids go in where there are embeddings, else vectors of d_model.
  bool embeddings = false;
  int src_vocab = 0;
  int tgt_vocab = 0;
  bool tie_embeddings = false;    // the output projection is the target embedding
  bool share_embeddings = false;  // source and target have one table
  float embedding_scale = 1.0f;

  // hidden state -> logits [tgt_vocab]
  bool projection = false;
  bool projection_bias = false;

  bool encoder_norm = false;  // after the last layer
  bool decoder_norm = false;

  Positions positions = Positions::kNone;
  int max_length = 0;  // of the tables of sinusoidal, learned and rotary positions
  SinusoidLayout sinusoid_layout = SinusoidLayout::kInterleaved;
  RotaryLayout rotary_layout = RotaryLayout::kHalves;
  double rotary_base = 10000.0;
  int relative_buckets = 32;
  int relative_max_distance = 128;
};

// Throws invalid_argument with the names that the user gave where the numbers cannot be a transformer.
void validate(const TransformerConfig& config);

}  // namespace transformer
