// Records the inner tensors of a pass that the caller asked for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/workspace.h"

namespace transformer {

struct WantedTensors {
  bool attentions = false;
  bool hidden_states = false;
  // Stacks whose last hidden state is the last layer's output, before the final norm: "encoder", "encoder decoder".
  std::string last_state_before_norm = {};
  std::vector<std::string> trace = {};  // patterns of paths (observable_paths.h)

  bool anything() const { return attentions || hidden_states || !trace.empty(); }
};

// A recorded tensor, its path, and its name as the pattern writes it.
struct Traced {
  std::string name;
  std::string path;
  const Tensor* tensor;
};

class PassObserver : public Observer {
 public:
  explicit PassObserver(WantedTensors wanted) : wanted_(std::move(wanted)) {}

  bool wants(std::string_view path) const override;
  void record(std::string_view path, Tensor tensor) override;

  // The tensors whose paths match a pattern, such as "encoder.layers.*.self_attn.weights".
  std::vector<const Tensor*> all(std::string_view pattern) const;
  // The input of the first layer, then the output of each layer; of the last one, after the final norm.
  std::vector<const Tensor*> hidden_states(const std::string& stack) const;
  std::vector<Traced> trace() const;

 private:
  WantedTensors wanted_;
  std::vector<std::pair<std::string, Tensor>> recorded_;  // in the order of the pass
};

}  // namespace transformer
