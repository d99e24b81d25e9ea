// Layers on top of the last hidden states: BERT's pooler, a classifier, the transform of a masked language model.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "layers/linear.h"
#include "layers/norm.h"

namespace transformer {

// One step: y = activation(x W^T + b), or a norm.
struct HeadStep {
  std::string name;      // of its weights in the scope
  int out_features = 0;  // 0: the step is a norm
  bool bias = true;
  Activation activation = Activation::kNone;
  NormConfig norm = {};
};

struct HeadConfig {
  std::vector<HeadStep> steps;
  bool first_only = false;  // applies only to the first hidden state of each sequence
  int last_id = -1;         // applies only to the state at the last such id of each source (BART); negative: to all
};

class Head {
 public:
  // scope: each step under its name
  Head(const WeightScope& scope, const HeadConfig& config, int d_model);

  bool first_only() const { return first_only_; }
  int last_id() const { return last_id_; }
  bool is_per_sequence() const { return first_only_ || last_id_ >= 0; }
  int out_features() const { return out_features_; }

  // x [rows, d_model] -> out [rows, out_features]
  void forward(ConstView x, View out, Workspace& workspace) const;

 private:
  struct Dense {
    Linear linear;
    Activation activation;
  };

  bool first_only_;
  int last_id_;
  int out_features_;
  std::vector<std::variant<Dense, Norm>> steps_;
};

}  // namespace transformer
