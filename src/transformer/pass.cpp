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

// The rows of `hidden` that the head reads: of each sequence one, or all.
Tensor selected(const Head& head, const Tensor& hidden, const Sequences& source) {
  Tensor states({source.batch, hidden.axis(1)});
  for (int sequence = 0; sequence < source.batch; ++sequence) {
    int row = 0;
    if (head.last_id() >= 0) {
      row = source.time - 1;
      const auto id_at = [&](int time) { return source.ids[sequence * source.time + time]; };
      while (row >= 0 && id_at(row) != head.last_id()) --row;
      require(row >= 0, "sequence ", sequence, " does not have the token ", head.last_id(),
              ", at which the classifier reads the state");
    }
    require(row < hidden.axis(0) / source.batch, "the sequence has no state at the token that the classifier reads");
    std::copy_n(hidden.matrix().row(sequence * (hidden.axis(0) / source.batch) + row), hidden.axis(1),
                states.matrix().row(sequence));
  }
  return states;
}

Tensor apply_head(const Head& head, const Tensor& hidden, const Sequences& source, Workspace& workspace) {
  const Tensor one = head.is_per_sequence() ? selected(head, hidden, source) : Tensor();
  const ConstView states = head.is_per_sequence() ? one.matrix() : hidden.matrix();
  Tensor result({states.rows, head.out_features()});
  head.forward(states, result.matrix(), workspace);
  return result;
}

// The logits of a model from the states of its last stack.
Tensor logits_of(const Transformer& model, const Tensor& hidden, const Sequences& source, Workspace& workspace) {
  if (model.has_projection()) return project(model, hidden.matrix(), workspace);
  return model.head() ? apply_head(*model.head(), hidden, source, workspace) : Tensor();
}

}  // namespace

void project(const Transformer& model, const OutputProjection& projection, ConstView hidden, View logits,
             Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  ConstView states = hidden;
  if (model.head()) {
    const View transformed = workspace.arena.take(hidden.rows, model.head()->out_features());
    model.head()->forward(hidden, transformed, workspace);
    states = transformed;
  }
  projection.forward(states, logits, workspace);
}

Tensor project(const Transformer& model, ConstView hidden, Workspace& workspace) {
  Tensor logits({hidden.rows, model.projection().vocab()});
  project(model, model.projection(), hidden, logits.matrix(), workspace);
  return logits;
}

Tensor run_encoder(const Transformer& model, const Sequences& source, const Mask& mask, Tensor memory,
                   Workspace& workspace) {
  require(model.has_encoder(), "this model has no encoder");
  const Shape shape = {source.batch * source.time, model.config().memory_width()};
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
    if (model.pooler()) output.pooler_output = apply_head(*model.pooler(), output.memory, input.source, workspace);
    output.logits = logits_of(model, output.memory, input.source, workspace);
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
  output.logits = logits_of(model, output.hidden, model.has_encoder() ? input.source : input.target, workspace);
  return output;
}

}  // namespace transformer
