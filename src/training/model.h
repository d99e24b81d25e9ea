// A transformer that learns: of the same config as the one that infers, whose weights have the same names.
#pragma once

#include <vector>

#include "training/layers.h"

namespace transformer::training {

// Token ids of several sequences, one after the other.
struct TokenRows {
  std::vector<int> ids;
  std::vector<int> offsets;  // [batch + 1]: the first token of each sequence, then the number of all

  int batch() const { return count_of(offsets) - 1; }
  // invalid_argument unless there are sequences, none of them empty. name: in messages
  Segments segments(const char* name) const;
};

struct Batch {
  TokenRows source;          // of an encoder-decoder
  TokenRows inputs;          // of the decoder, or of the only stack
  std::vector<int> targets;  // of each token of `inputs`; negative: none
};

class Model {
 public:
  // unsupported, naming the setting, for a config that training does not know.
  Model(Parameters& parameters, const TransformerConfig& config);

  bool has_both() const { return encoder_.has_value() && decoder_.has_value(); }

  // -> logits [tokens of the inputs, vocab]. The batch must live as long as the tape.
  // causal: whether the tokens of a decoder see only those before them
  // Observable: weights of all attention layers, under the paths of inference.
  Value forward(Tape& tape, const Batch& batch, bool causal) const;

 private:
  class Stack {
   public:
    // memory_width: of what a decoder attends to; 0: there is nothing
    Stack(const ParameterScope& scope, const StackConfig& config, Parameter& table, float scale, int memory_width);

    struct Input {
      const TokenRows& tokens;
      const char* name;
      bool causal;
      Value memory = {};
      Segments memory_tokens = {};
    };
    Value forward(Tape& tape, const Input& input) const;

   private:
    struct Layer {
      NormPlace place;
      AttentionLayer self_attn;
      Block self_block;
      std::optional<AttentionLayer> cross_attn;
      std::optional<Block> cross_block;
      FeedForwardLayer feed_forward;
      Block feed_forward_block;
    };

    Value positioned(Tape& tape, Value x, const Segments& tokens) const;
    static Value forward_layer(const Layer& layer, Tape& tape, Value x, const AttentionLayer::Input& rows);

    std::string name_;
    Parameter* table_;
    float scale_;
    int max_length_ = PositionScheme::kUnlimited;
    Tensor sinusoids_;              // [max_length, d_model], or empty
    Parameter* learned_ = nullptr;  // likewise
    MaybeRotation rotation_;
    std::vector<Layer> layers_;
    std::optional<NormLayer> norm_;
  };

  std::optional<Stack> encoder_;
  std::optional<Stack> decoder_;
  std::optional<LinearLayer> projection_;
  float projection_scale_ = 1.0f;
};

}  // namespace transformer::training
