#include "pass_probe.h"

#include <algorithm>

namespace transformer::bindings {

namespace {

// The part of a path before its first dot; the path goes on behind it.
std::string_view next_name(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  return name;
}

bool matches(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = next_name(pattern);
    if (const std::string_view name = next_name(path); wanted != "*" && wanted != name) return false;
  }
  return pattern.empty() && path.empty();
}

// "decoder.layers.0.output" -> "decoder.layers.0", and nothing for other paths.
std::string_view decoder_layer_of(std::string_view path) {
  constexpr std::string_view kOutput = ".output";
  if (!path.starts_with("decoder.layers.") || !path.ends_with(kOutput)) return {};
  return path.substr(0, path.size() - kOutput.size());
}

bool is_hidden_state(std::string_view path) { return path.ends_with(".output") || path.ends_with(".embeddings"); }

}  // namespace

PassProbe::PassProbe(const Options& options)
    : attentions_(options.flag("outputAttentions")), hidden_states_(options.flag("outputHiddenStates")) {
  if (options.has("trace")) patterns_ = emscripten::vecFromJSArray<std::string>(options.raw("trace"));
  if (!options.has("heads")) return;
  const val heads = options.raw("heads");
  const val paths = val::global("Object").call<val>("keys", heads);
  for (int i = 0; i < paths["length"].as<int>(); ++i) {
    head_factors_[paths[i].as<std::string>()] = emscripten::vecFromJSArray<float>(heads[paths[i]]);
  }
}

bool PassProbe::is_needed() const {
  return attentions_ || hidden_states_ || !patterns_.empty() || !head_factors_.empty();
}

bool PassProbe::traces(std::string_view path) const {
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [path](const auto& pattern) { return matches(pattern, path); });
}

bool PassProbe::wants(std::string_view path) const {
  if (attentions_ && path.ends_with(".weights")) return true;
  if (hidden_states_ && is_hidden_state(path)) return true;
  const std::string_view layer = decoder_layer_of(path);
  return traces(path) || (!layer.empty() && traces(concat(layer, ".logits")));
}

void PassProbe::record(std::string_view path, Tensor tensor) {
  recorded_.emplace_back(std::string(path), std::move(tensor));
}

std::span<const float> PassProbe::head_factors(std::string_view path) const {
  const auto found = head_factors_.find(path);
  return found == head_factors_.end() ? std::span<const float>{} : found->second;
}

const Tensor* PassProbe::find(std::string_view path) const {
  for (const auto& [recorded_path, tensor] : recorded_) {
    if (recorded_path == path) return &tensor;
  }
  return nullptr;
}

std::vector<std::string> PassProbe::traced_logits() const {
  std::vector<std::string> layers;
  for (const auto& entry : recorded_) {
    const std::string_view layer = decoder_layer_of(entry.first);
    if (!layer.empty() && traces(concat(layer, ".logits"))) layers.emplace_back(layer);
  }
  return layers;
}

val PassProbe::per_layer(const std::string& stack, const std::string& name) const {
  val list = val::array();
  for (const auto& [path, tensor] : recorded_) {
    if (path.starts_with(stack + ".layers.") && path.ends_with(name)) list.call<void>("push", to_js(tensor));
  }
  return list;
}

val PassProbe::hidden_states_of(const std::string& stack) const {
  val list = val::array();
  const Tensor* last = nullptr;
  for (const auto& [path, tensor] : recorded_) {
    if (!path.starts_with(stack + ".") || !is_hidden_state(path)) continue;
    if (last && path != stack + ".output") list.call<void>("push", to_js(*last));
    last = &tensor;
  }
  if (last) list.call<void>("push", to_js(*last));
  return list;
}

val PassProbe::trace() const {
  val result = val::object();
  for (const auto& [path, tensor] : recorded_) {
    if (traces(path)) result.set(path, to_js(tensor));
  }
  return result;
}

}  // namespace transformer::bindings
