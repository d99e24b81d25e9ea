#include "transformer/pass.h"

#include <algorithm>
#include <string>

namespace transformer {

namespace {

constexpr std::string_view kLayers = "decoder.layers.";
constexpr std::string_view kOutput = ".output";

// Forwards everything to another observer, and keeps the layer outputs whose logits that observer wants.
class LogitLens : public Observer {
 public:
  LogitLens(Observer& to, int num_layers) : to_(to) {
    for (int i = 0; i < num_layers; ++i) {
      const std::string layer = concat(kLayers, i);
      if (to.wants(layer + ".logits")) layers_.push_back(layer);
    }
  }

  bool wants(std::string_view path) const override { return to_.wants(path) || is_wanted(path); }
  void record(std::string_view path, Tensor tensor) override {
    if (is_wanted(path)) states_.push_back({path.substr(0, path.size() - kOutput.size()), tensor.clone()});
    if (to_.wants(path)) to_.record(path, std::move(tensor));
  }

  void project_all(const Transformer& model, int batch, Workspace& workspace) {
    for (auto& [layer, states] : states_) {
      model.decoder().normalize(states.matrix(), workspace);
      Tensor logits = project(model, states.matrix(), workspace);
      const int rows = logits.axis(0), vocab = logits.axis(1);
      to_.record(layer + ".logits", std::move(logits).reshaped({batch, batch > 0 ? rows / batch : 0, vocab}));
    }
  }

 private:
  struct LayerStates {
    std::string layer;
    Tensor states;
    LayerStates(std::string_view of, Tensor tensor) : layer(of), states(std::move(tensor)) {}
  };

  bool is_wanted(std::string_view path) const {
    return path.ends_with(kOutput) &&
           std::find(layers_.begin(), layers_.end(), path.substr(0, path.size() - kOutput.size())) != layers_.end();
  }

  Observer& to_;
  std::vector<std::string> layers_;
  std::vector<LayerStates> states_;
};

Tensor apply_head(const Head& head, const Tensor& hidden, const Sequences& sequences, Workspace& workspace) {
  ConstView states = hidden.matrix();
  if (head.first_only()) {
    require(sequences.time > 0, "the sequence is empty, so it has no first hidden state");
    states = {states.data, sequences.batch, states.cols, states.stride * sequences.time};
  }
  Tensor result({states.rows, head.out_features()});
  head.forward(states, result.matrix(), workspace);
  return result;
}

// The outputs of an encoder-only model.
void apply_heads(const Transformer& model, const Sequences& source, PassOutput& output, Workspace& workspace) {
  if (model.pooler()) output.pooler_output = apply_head(*model.pooler(), output.memory, source, workspace);
  if (model.head()) output.logits = apply_head(*model.head(), output.memory, source, workspace);
  if (!model.has_projection()) return;
  output.logits = project(model, (model.head() ? output.logits : output.memory).matrix(), workspace);
}

}  // namespace

Tensor project(const Transformer& model, ConstView hidden, Workspace& workspace) {
  Tensor logits({hidden.rows, model.projection().vocab()});
  model.projection().forward(hidden, logits.matrix(), workspace);
  return logits;
}

Tensor run_encoder(const Transformer& model, const Sequences& source, const Mask& mask, Tensor memory,
                   Workspace& workspace) {
  require(model.has_encoder(), "this model has no encoder");
  const Shape shape = {source.batch * source.time, model.config().d_model()};
  memory = memory.empty() ? Tensor(shape) : std::move(memory).reshaped(shape);
  model.encoder().forward(source, mask, memory.matrix(), workspace);
  return memory;
}

Tensor run_decoder(const Transformer& model, const Sequences& target, const Memory& memory, const DecoderMasks& masks,
                   Workspace& workspace) {
  require(model.has_decoder(), "this model has no decoder");
  Tensor hidden({target.batch * target.time, model.config().d_model()});
  DecoderState state = model.decoder().start(memory, target.batch, target.time, workspace);
  model.decoder().forward(target, state, masks, hidden.matrix(), workspace);
  return hidden;
}

PassOutput run_pass(const Transformer& model, PassInput input, Workspace& workspace) {
  PassOutput output;
  if (model.has_encoder()) {
    output.memory = run_encoder(model, input.source, input.source_mask, std::move(input.memory), workspace);
  }
  if (!model.has_decoder()) {
    apply_heads(model, input.source, output, workspace);
    return output;
  }
  Memory memory;
  if (model.has_encoder()) memory = {output.memory.matrix(), input.source.batch, input.source.time};
  if (!workspace.observer || !model.has_projection()) {
    output.hidden = run_decoder(model, input.target, memory, input.target_masks, workspace);
  } else {
    LogitLens lens(*workspace.observer, model.config().decoder.num_layers);
    Workspace observed{workspace.arena, workspace.threads, &lens, workspace.profiler, workspace.head_factors};
    output.hidden = run_decoder(model, input.target, memory, input.target_masks, observed);
    Workspace unobserved{workspace.arena, workspace.threads};
    lens.project_all(model, input.target.batch, unobserved);
  }
  if (model.has_projection()) output.logits = project(model, output.hidden.matrix(), workspace);
  return output;
}

}  // namespace transformer
