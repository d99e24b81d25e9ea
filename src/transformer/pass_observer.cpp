#include "transformer/pass_observer.h"

#include <algorithm>

#include "transformer/observable_paths.h"

namespace transformer {

namespace {

bool is_hidden_state(std::string_view path) { return path.ends_with(".output") || path.ends_with(".embeddings"); }

}  // namespace

bool PassObserver::wants(std::string_view path) const {
  if (wanted_.attentions && path.ends_with(".weights")) return true;
  if (wanted_.hidden_states && is_hidden_state(path)) return true;
  return std::any_of(wanted_.trace.begin(), wanted_.trace.end(),
                     [path](const std::string& pattern) { return matches(pattern, path); });
}

void PassObserver::record(std::string_view path, Tensor tensor) {
  recorded_.emplace_back(std::string(path), std::move(tensor));
}

std::vector<const Tensor*> PassObserver::all(std::string_view pattern) const {
  std::vector<const Tensor*> list;
  for (const auto& [path, tensor] : recorded_) {
    if (matches(pattern, path)) list.push_back(&tensor);
  }
  return list;
}

std::vector<const Tensor*> PassObserver::hidden_states(const std::string& stack) const {
  std::vector<const Tensor*> list;
  for (const auto& [path, tensor] : recorded_) {
    if (!path.starts_with(stack + ".") || !is_hidden_state(path)) continue;
    if (path == stack + ".output") {
      // The output of the final norm takes the place of the last layer's.
      if (wanted_.last_state_before_norm.find(stack) == std::string::npos) list.back() = &tensor;
    } else {
      list.push_back(&tensor);
    }
  }
  return list;
}

std::vector<Traced> PassObserver::trace() const {
  std::vector<Traced> list;
  for (const auto& [path, tensor] : recorded_) {
    for (const std::string& pattern : wanted_.trace) {
      if (!matches(pattern, path)) continue;
      Traced traced = {name_in(pattern, path), path, &tensor};
      const bool is_new =
          std::none_of(list.begin(), list.end(), [&](const Traced& other) { return other.name == traced.name; });
      if (is_new) list.push_back(std::move(traced));
    }
  }
  return list;
}

}  // namespace transformer
