// Layers on top of the last hidden states: BERT's pooler, a classifier, the transform of a masked language model.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/fields.h"
#include "layers/linear.h"
#include "layers/norm.h"

namespace transformer {

// One step: y = activation(x W^T + b), a norm, or x at length 1.
struct HeadStep {
  std::string name;      // of its weights in the scope
  int out_features = 0;  // 0: the step is a norm
  bool unit = false;     // x at length 1, and none of the others
  bool bias = true;
  Activation activation = {};
  NormConfig norm = {};
};

constexpr auto fields_of(const HeadStep*) {
  return std::tuple{
      Field{"name", &HeadStep::name}, Field{"outFeatures", &HeadStep::out_features}, Field{"unit", &HeadStep::unit},
      Field{"bias", &HeadStep::bias}, Field{"activation", &HeadStep::activation},    Field{"norm", &HeadStep::norm}};
}

// Which hidden states of a sequence a head reads: each of them, the first, their mean, the one at the last token that
// is `id` (BART), or at the last one that is not (decoders, where it is padding), or at the first one that is (CLIP);
// or both the first and the mean, side by side (DINOv2); or what the attention pool makes of them (SigLIP).
enum class HeadInput { kEach, kFirst, kMean, kLastIs, kLastIsNot, kFirstIs, kFirstAndMean, kPool };

constexpr auto enum_names(HeadInput) {
  return std::to_array<Named<HeadInput>>({{"each", HeadInput::kEach},
                                          {"first", HeadInput::kFirst},
                                          {"mean", HeadInput::kMean},
                                          {"last_is", HeadInput::kLastIs},
                                          {"last_is_not", HeadInput::kLastIsNot},
                                          {"first_is", HeadInput::kFirstIs},
                                          {"first_and_mean", HeadInput::kFirstAndMean},
                                          {"pool", HeadInput::kPool}});
}

struct HeadConfig {
  std::vector<HeadStep> steps;
  HeadInput reads = HeadInput::kEach;
  int id = -1;     // of kLastIs, kLastIsNot and kFirstIs, where a negative one is the largest of the sequence
  int prefix = 0;  // tokens of a sequence before those of the mean
};

constexpr auto fields_of(const HeadConfig*) {
  return std::tuple{Field{"steps", &HeadConfig::steps}, Field{"reads", &HeadConfig::reads},
                    Field{"id", &HeadConfig::id}, Field{"prefix", &HeadConfig::prefix}};
}

// A head without steps gives the state that it reads.
inline bool is_there(const HeadConfig& head) { return !head.steps.empty() || head.reads != HeadInput::kEach; }

class OutputHead {
 public:
  // scope: each step under its name
  OutputHead(const WeightScope& scope, const HeadConfig& config, int d_model);

  HeadInput reads() const { return reads_; }
  int id() const { return id_; }
  int prefix() const { return prefix_; }
  int in_features() const { return in_features_; }
  bool is_per_sequence() const { return reads_ != HeadInput::kEach; }
  int out_features() const { return out_features_; }

  // x [rows, in_features] -> out [rows, out_features]. with_unit: whether the steps to length 1 are made
  void forward(ConstView x, View out, Workspace& workspace, bool with_unit = true) const;

 private:
  struct Unit {};
  struct Dense {
    Linear linear;
    Activation activation;
  };

  HeadInput reads_;
  int id_;
  int prefix_;
  int in_features_;
  int out_features_;
  std::vector<std::variant<Dense, Norm, Unit>> steps_;
};

}  // namespace transformer
