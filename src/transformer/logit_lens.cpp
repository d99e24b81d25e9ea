#include "transformer/logit_lens.h"

#include <algorithm>

#include "transformer/logits.h"

namespace transformer {

namespace {

constexpr std::string_view kLayers = "decoder.layers.";
constexpr std::string_view kOutput = ".output";

std::string_view layer_of(std::string_view path) { return path.substr(0, path.size() - kOutput.size()); }

}  // namespace

LogitLens::LogitLens(Observer& to, int num_layers) : to_(to) {
  for (int i = 0; i < num_layers; ++i) {
    const std::string layer = concat(kLayers, i);
    if (to.wants(layer + ".logits")) layers_.push_back(layer);
  }
}

bool LogitLens::is_kept(std::string_view path) const {
  return path.ends_with(kOutput) && std::find(layers_.begin(), layers_.end(), layer_of(path)) != layers_.end();
}

void LogitLens::record(std::string_view path, Tensor tensor) {
  if (is_kept(path)) states_.push_back({layer_of(path), tensor.clone()});
  if (to_.wants(path)) to_.record(path, std::move(tensor));
}

void LogitLens::project_all(const Transformer& model, int batch, Workspace& workspace) {
  for (auto& [layer, states] : states_) {
    model.decoder().normalize(states.matrix(), workspace);
    Tensor logits = project(model, states.matrix(), workspace);
    const int rows = logits.axis(0), vocab = logits.axis(1);
    to_.record(layer + ".logits", std::move(logits).reshaped({batch, batch > 0 ? rows / batch : 0, vocab}));
  }
}

}  // namespace transformer
