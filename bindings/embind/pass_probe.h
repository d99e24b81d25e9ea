// What somebody wants to see of a pass, and the heads that are to be turned down in it.
#pragma once

#include <map>
#include <utility>

#include "base/workspace.h"
#include "convert.h"

namespace transformer::bindings {

// Keeps the tensors that are asked for under the paths that the layers offer them at.
class PassProbe : public Probe {
 public:
  // options: outputAttentions, outputHiddenStates; trace: string[], paths in which * stands for one name;
  // heads: { [path of an attention layer]: factors, one a head }
  explicit PassProbe(const Options& options);

  // Whether there is anything to do: without, a pass runs with no probe at all.
  bool is_needed() const;

  bool wants(std::string_view path) const override;
  void record(std::string_view path, Tensor tensor) override;
  std::span<const float> head_factors(std::string_view path) const override;

  bool attentions() const { return attentions_; }
  bool hidden_states() const { return hidden_states_; }
  // `name` of layers 0, 1, ... of a stack.
  val per_layer(const std::string& stack, const std::string& name) const;
  // The input of the first layer, then every layer's output, the last one after the final norm.
  val hidden_states_of(const std::string& stack) const;
  // { [path]: tensor }
  val trace() const;

  // The recorded tensor of a path, null where there is none.
  const Tensor* find(std::string_view path) const;
  // The decoder layers whose logits are traced: "decoder.layers.0", ...
  std::vector<std::string> traced_logits() const;

 private:
  bool traces(std::string_view path) const;

  bool attentions_;
  bool hidden_states_;
  std::vector<std::string> patterns_;
  std::map<std::string, std::vector<float>, std::less<>> head_factors_;
  std::vector<std::pair<std::string, Tensor>> recorded_;  // in the order of the pass
};

}  // namespace transformer::bindings
