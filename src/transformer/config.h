// The description of a transformer, whichever checkpoint it comes from.
#pragma once

#include "attention/attention_pool.h"
#include "attention/config.h"
#include "base/fields.h"
#include "layers/contrast.h"
#include "layers/feed_forward.h"
#include "layers/norm.h"
#include "positions/positions.h"
#include "transformer/front_end.h"
#include "transformer/output_head.h"

namespace transformer {

// Post-norm: LayerNorm(x + Sublayer(x)), as in the paper. Pre-norm: x + Sublayer(LayerNorm(x)) (Xiong et al. 2020).
// kPreResidual: y + Sublayer(y) for y = LayerNorm(x) (an option of BLOOM). kParallel: pre-norm, with a feed-forward
// layer that reads what self-attention reads: x + Attention(LayerNorm(x)) + FFN(LayerNorm'(x)) (Wang and Komatsuzaki
// 2021: GPT-J; GPT-NeoX, Phi). kBranch: x + LayerNorm(Sublayer(x)) (Liu et al. 2022: Swin V2; OLMo 2). kSandwich: both,
// x + LayerNorm'(Sublayer(LayerNorm(x))) (Ding et al. 2021: CogView; Gemma 2).
enum class NormPlace { kPost, kPre, kPreResidual, kParallel, kBranch, kSandwich };

constexpr auto enum_names(NormPlace) {
  return std::to_array<Named<NormPlace>>({{"post", NormPlace::kPost},
                                          {"pre", NormPlace::kPre},
                                          {"pre_residual", NormPlace::kPreResidual},
                                          {"parallel", NormPlace::kParallel},
                                          {"branch", NormPlace::kBranch},
                                          {"sandwich", NormPlace::kSandwich}});
}

// One encoder or decoder layer.
struct LayerConfig {
  int d_model = 0;
  AttentionConfig attention = {};  // of self-attention and of cross-attention
  FeedForwardConfig feed_forward = {};
  NormPlace norm_place = NormPlace::kPost;
  NormConfig norm = {};
  float residual_scale = 1.0f;  // multiplies what each sub-layer adds (Granite)
  bool layer_scale = false;     // a learned factor for each number of that (Touvron et al. 2021b: CaiT)
  bool ssru = false;            // of a decoder: a recurrent unit in place of self-attention (Kim et al. 2019)
};

constexpr auto fields_of(const LayerConfig*) {
  return std::tuple{Field{"dModel", &LayerConfig::d_model},
                    Field{"normPlace", &LayerConfig::norm_place},
                    Field{"residualScale", &LayerConfig::residual_scale},
                    Field{"layerScale", &LayerConfig::layer_scale},
                    Field{"ssru", &LayerConfig::ssru},
                    Field{"attention", &LayerConfig::attention},
                    Field{"feedForward", &LayerConfig::feed_forward},
                    Field{"norm", &LayerConfig::norm}};
}

// The configs of a layer's parts, with the layer's d_model and norm filled in.
AttentionConfig attention_of(const LayerConfig& layer);
FeedForwardConfig feed_forward_of(const LayerConfig& layer);

// The encoder or the decoder.
struct StackConfig {
  int num_layers = 0;
  LayerConfig layer = {};
  Positions positions = {};
  Positions other_positions = {};      // of the layers in other_layers, in place of `positions`: rotary ones or none
  std::vector<int> other_layers;       // numbers of layers
  int vocab = 0;                       // of its embedding; 0: its input is vectors of d_model
  int token_types = 0;                 // rows of the token type embedding that is added (BERT's segments); 0: none
  int input_positions = 0;             // rows of a learned table that is added besides `positions` (MPNet); 0: none
  bool embedding_norm = false;         // a norm before the first layer
  bool norm_before_positions = false;  // it precedes the positions (BlenderbotSmall's decoder)
  // Width of the embedding, which a linear layer brings to d_model; 0: d_model, and no such layer. With an embedding
  // norm, all that is added has this width too, and the linear layer has a bias (ALBERT); without, only tokens have it
  // (OPT).
  int embedding_width = 0;
  bool norm = false;        // a norm after the last layer
  bool first_norm = true;   // false: the first layer's self-attention has none (ModernBERT)
  bool zero_start = false;  // the embedding of each sequence's first token is zero, whatever its id (Marian's students)
  int layer_groups = 0;     // of an encoder: layers in a row share the weights of their group (ALBERT); 0: none do
  std::vector<int> windows;  // for each layer, how far tokens see; negative: without limit; empty: all without

  int input_width() const { return embedding_width > 0 ? embedding_width : layer.d_model; }
};

constexpr auto fields_of(const StackConfig*) {
  return std::tuple{Field{"numLayers", &StackConfig::num_layers},
                    Field{"positions", &StackConfig::positions},
                    Field{"otherPositions", &StackConfig::other_positions},
                    Field{"otherLayers", &StackConfig::other_layers},
                    Field{"vocab", &StackConfig::vocab},
                    Field{"tokenTypes", &StackConfig::token_types},
                    Field{"inputPositions", &StackConfig::input_positions},
                    Field{"embeddingNorm", &StackConfig::embedding_norm},
                    Field{"normBeforePositions", &StackConfig::norm_before_positions},
                    Field{"embeddingWidth", &StackConfig::embedding_width},
                    Field{"layerGroups", &StackConfig::layer_groups},
                    Field{"windows", &StackConfig::windows},
                    Field{"norm", &StackConfig::norm},
                    Field{"firstNorm", &StackConfig::first_norm},
                    Field{"zeroStart", &StackConfig::zero_start},
                    Field{"layer", &StackConfig::layer}};
}

// The output projection: hidden state -> logits [vocab].
struct ProjectionConfig {
  int vocab = 0;  // 0: none
  bool bias = false;
  bool tied = false;   // shares the weight of the last stack's embedding (Press and Wolf 2017)
  float scale = 1.0f;  // multiplies the hidden state first
  float cap = 0.0f;    // of the logits: cap * tanh(logit / cap) (Gemma 2); 0: none
};

constexpr auto fields_of(const ProjectionConfig*) {
  return std::tuple{Field{"vocab", &ProjectionConfig::vocab}, Field{"bias", &ProjectionConfig::bias},
                    Field{"tied", &ProjectionConfig::tied}, Field{"scale", &ProjectionConfig::scale},
                    Field{"cap", &ProjectionConfig::cap}};
}

// The whole model: encoder-decoder as in the paper, encoder-only like BERT, or decoder-only like GPT.
struct TransformerConfig {
  std::string scope = {};     // the name before those of its weights; empty: none
  FrontEndConfig front = {};  // makes the encoder's input of sound or pictures
  StackConfig encoder;
  StackConfig decoder;
  bool share_embeddings = false;   // one embedding table for source and target
  bool memory_projection = false;  // a linear layer brings the encoder's output to the decoder's width
  float embedding_scale = 1.0f;
  AttentionPoolConfig pool;  // of an encoder-only model: makes the state that a pooler or a head may read
  HeadConfig pooler;         // of an encoder-only model: an extra output, computed from the first hidden state
  HeadConfig head;           // of an encoder-only model: between the last hidden states and the logits
  ContrastConfig contrast;   // of an encoder-only model: its vectors are those of the head
  ProjectionConfig projection;

  bool has_front() const { return !std::holds_alternative<NoFrontEnd>(front); }
  const StackConfig& last_stack() const { return decoder.num_layers > 0 ? decoder : encoder; }
  int d_model() const { return last_stack().layer.d_model; }
  // Of the encoder's output, which may differ from the decoder's d_model.
  int memory_width() const { return encoder.layer.d_model; }
};

constexpr auto fields_of(const TransformerConfig*) {
  return std::tuple{Field{"scope", &TransformerConfig::scope},
                    Field{"shareEmbeddings", &TransformerConfig::share_embeddings},
                    Field{"memoryProjection", &TransformerConfig::memory_projection},
                    Field{"embeddingScale", &TransformerConfig::embedding_scale},
                    Field{"front", &TransformerConfig::front},
                    Field{"encoder", &TransformerConfig::encoder},
                    Field{"decoder", &TransformerConfig::decoder},
                    Field{"pool", &TransformerConfig::pool},
                    Field{"pooler", &TransformerConfig::pooler},
                    Field{"head", &TransformerConfig::head},
                    Field{"contrast", &TransformerConfig::contrast},
                    Field{"projection", &TransformerConfig::projection}};
}

// invalid_argument, in the user's names, unless the numbers describe a transformer.
void validate(const TransformerConfig& config);

// About the number of its parameters: of its matrices, and at least one of each layer.
double estimated_parameters(const TransformerConfig& config);

}  // namespace transformer
