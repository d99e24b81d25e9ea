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

// The rows of `hidden` that the head reads: one of each sequence.
Tensor selected(const Head& head, const Tensor& hidden, const Segments& states, const Sequences& source) {
  Tensor rows({source.batch, hidden.axis(1)});
  const Segments ids = source.segments();
  for (int sequence = 0; sequence < source.batch; ++sequence) {
    int row = 0;
    require(states.length(sequence) > 0, "the sequence is empty, so it has no first hidden state");
    if (head.last_id() >= 0) {
      require(!source.ids.empty(), "the classifier reads the state at a token: pass token ids, not vectors");
      row = ids.length(sequence) - 1;
      const auto id_at = [&](int time) { return source.ids[ids.first(sequence) + time]; };
      while (row >= 0 && id_at(row) != head.last_id()) --row;
      require(row >= 0, "sequence ", sequence, " does not have the token ", head.last_id(),
              ", at which the classifier reads the state");
    }
    require(row < states.length(sequence), "the sequence has no state at the token that the classifier reads");
    std::copy_n(hidden.matrix().row(states.first(sequence) + row), hidden.axis(1), rows.matrix().row(sequence));
  }
  return rows;
}

// states: which rows of `hidden` are of which sequence.
Tensor apply_head(const Head& head, const Tensor& hidden, const Segments& states, const Sequences& source,
                  Workspace& workspace) {
  const Tensor one = head.is_per_sequence() ? selected(head, hidden, states, source) : Tensor();
  const ConstView rows = head.is_per_sequence() ? one.matrix() : hidden.matrix();
  Tensor result({rows.rows, head.out_features()});
  head.forward(rows, result.matrix(), workspace);
  return result;
}

// The logits of a model from the states of its last stack.
Tensor logits_of(const Transformer& model, const Tensor& hidden, const Segments& states, const Sequences& source,
                 Workspace& workspace) {
  if (model.has_projection()) return project(model, hidden.matrix(), workspace);
  return model.head() ? apply_head(*model.head(), hidden, states, source, workspace) : Tensor();
}

// Sequences without the padding at their ends.
class WithoutPadding {
 public:
  WithoutPadding(const Sequences& padded, const ScoreBias& padding) : padded_(padded.segments()) {
    for (int i = 0; i < padded.batch; ++i) {
      const int length = real_tokens(padding, i);
      const int first = padded_.first(i);
      if (!padded.ids.empty()) append(padded.ids.subspan(first, length), ids_);
      if (!padded.token_types.empty()) append(padded.token_types.subspan(first, length), types_);
      longest_ = std::max(longest_, length);
      offsets_.push_back(offsets_.back() + length);
    }
    if (!padded.vectors.data) return;
    vectors_ = Tensor({offsets_.back(), padded.vectors.cols});
    copy(padded_, padded.vectors, segments(), vectors_.matrix());
  }

  Segments segments() const { return {padded_.batch, longest_, offsets_}; }
  Sequences sequences() const {
    Sequences real = {segments().batch, longest_, ids_, {}, types_, offsets_};
    if (!vectors_.empty()) real.vectors = vectors_.matrix();
    return real;
  }

  // Rows of the sequences -> the same with zeros for padding.
  Tensor padded(const Tensor& rows) const {
    Tensor all = Tensor::zeros({padded_.rows(), rows.axis(1)});
    copy(segments(), rows.matrix(), padded_, all.matrix());
    return all;
  }

 private:
  // Up to the padding; all of them if some padding has a token after it.
  int real_tokens(const ScoreBias& padding, int sequence) const {
    const int time = padded_.time;
    const float* keys = padding.data + sequence * padding.batch;
    const float* end = std::find(keys, keys + time, kForbidden);
    return static_cast<int>((std::find(end, keys + time, 0.0f) == keys + time ? end : keys + time) - keys);
  }
  static void append(std::span<const int> part, std::vector<int>& all) {
    all.insert(all.end(), part.begin(), part.end());
  }
  static void copy(const Segments& from, ConstView rows, const Segments& to, View copies) {
    for (int i = 0; i < from.batch; ++i) {
      for (int row = 0; row < std::min(from.length(i), to.length(i)); ++row) {
        std::copy_n(rows.row(from.first(i) + row), rows.cols, copies.row(to.first(i) + row));
      }
    }
  }

  Segments padded_;
  std::vector<int> ids_, types_;
  Tensor vectors_;
  std::vector<int> offsets_ = {0};
  int longest_ = 0;
};

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
  const Shape shape = {source.segments().rows(), model.config().memory_width()};
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

namespace {

// The decoder and what follows it. memory: what the encoder made of the source.
void run_target(const Transformer& model, const PassInput& input, const Memory& memory, PassOutput& output,
                Workspace& workspace) {
  if (!workspace.observer || !model.has_projection()) {
    output.hidden = run_decoder(model, input.target, memory, input.target_masks, workspace);
  } else {
    LogitLens lens(*workspace.observer, model.config().decoder.num_layers);
    Workspace observed{workspace.arena, workspace.threads, &lens, workspace.profiler, workspace.head_factors};
    output.hidden = run_decoder(model, input.target, memory, input.target_masks, observed);
    Workspace unobserved{workspace.arena, workspace.threads};
    lens.project_all(model, input.target.batch, unobserved);
  }
  output.logits = logits_of(model, output.hidden, input.target.segments(),
                            model.has_encoder() ? input.source : input.target, workspace);
}

PassOutput run_all(const Transformer& model, PassInput input, Workspace& workspace) {
  PassOutput output;
  const Sequences& source = input.source;
  const Segments states = source.segments();
  if (model.has_encoder()) {
    output.memory = run_encoder(model, source, input.source_mask, std::move(input.memory), workspace);
  }
  if (!model.has_decoder()) {
    if (model.pooler()) output.pooler_output = apply_head(*model.pooler(), output.memory, states, source, workspace);
    output.logits = logits_of(model, output.memory, states, source, workspace);
    return output;
  }
  Memory memory;
  if (model.has_encoder()) memory = {output.memory.matrix(), states.batch, states.time, states.offsets};
  run_target(model, input, memory, output, workspace);
  return output;
}

}  // namespace

PassOutput run_pass(const Transformer& model, PassInput input, Workspace& workspace) {
  const ScoreBias padding = input.source_mask.padding;
  if (!input.skips_padding || !padding.data || workspace.observer) return run_all(model, std::move(input), workspace);
  const WithoutPadding real(input.source, padding);
  input.source = real.sequences();
  input.memory = {};
  const bool is_per_token = !model.has_decoder() && !(model.head() && model.head()->is_per_sequence());
  PassOutput output = run_all(model, std::move(input), workspace);
  output.memory = real.padded(output.memory);
  if (is_per_token && !output.logits.empty()) output.logits = real.padded(output.logits);
  return output;
}

}  // namespace transformer
