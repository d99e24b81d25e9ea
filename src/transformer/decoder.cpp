#include "transformer/decoder.h"

namespace transformer {

void DecoderState::reorder(std::span<const int> parents, ThreadPool& threads) {
  for (KvCache& cache : self_) cache.reorder(parents, threads);
}

Decoder::Decoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding)
    : positions_(make_positions(config.decoder, scope, false)),
      input_(scope, config.decoder, {std::move(embedding), config.embedding_scale}, positions_),
      windows_(config.decoder.windows),
      cross_attention_(config.encoder.num_layers > 0) {
  const LayerConfig& layer = config.decoder.layer;
  const int memory_width = config.memory_projection ? layer.d_model : config.memory_width();
  for (int i = 0; i < config.decoder.num_layers; ++i) {
    layers_.emplace_back(scope / "layers" / i, layer, cross_attention_ ? memory_width : 0, positions_);
  }
  if (config.decoder.norm) norm_.emplace(scope / "norm", layer.d_model, layer.norm);
  if (config.memory_projection) {
    memory_projection_.emplace(scope / "memory_projection", config.memory_width(), layer.d_model, true);
  }
}

DecoderState Decoder::start(const Memory& memory, int rows, int capacity, Workspace& workspace) const {
  const PathScope stack(workspace, "decoder");
  DecoderState state;
  auto make_cache = [&state](const KvCache::Size& size) {
    state.buffers_.emplace_back(KvCache::float_count(size));
    return KvCache(size, state.buffers_.back().data());
  };
  require(!cross_attention_ || memory.states.data || memory.batch * memory.keys == 0,
          "memory is missing: this decoder attends to the encoder's output");
  const Arena::Scope scope(workspace.arena);
  ConstView states = memory.states;
  if (memory_projection_) {
    const View projected = workspace.arena.take(states.rows, memory_projection_->out_features());
    memory_projection_->forward(states, projected, workspace);
    states = projected;
  }
  for (int i = 0; i < count_of(layers_); ++i) {
    const DecoderLayer& layer = layers_[i];
    const PathScope path(workspace, "layers", i);
    state.self_.push_back(make_cache(layer.self_cache_size(rows, capacity)));
    if (!cross_attention_) continue;
    KvCache cross = make_cache(layer.cross_cache_size(memory.batch, memory.keys));
    layer.append_memory(states, cross, workspace);
    state.cross_.push_back(std::move(cross));
  }
  return state;
}

void Decoder::forward(const Sequences& next, DecoderState& state, DecoderMasks masks, View hidden,
                      Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const PathScope stack(workspace, "decoder");
  const std::initializer_list<int> shape = {next.batch, next.time, hidden.cols};
  std::vector<int> first;
  int longest = 0;
  for (int row = 0; row < next.batch; ++row) {
    first.push_back(state.length(row));
    longest = std::max(longest, state.length(row) + next.time);
  }
  input_.forward(next, first, hidden, workspace);
  workspace.offer("embeddings", hidden, shape);
  for (int i = 0; i < count_of(layers_); ++i) {
    const PathScope path(workspace, "layers", i);
    if (i == 0 || positions_->differs_by_layer()) {
      masks.self.distance = positions_->score_bias(i, longest, workspace.arena);
    }
    if (!windows_.empty()) masks.self.window = windows_[i];
    layers_[i].forward(hidden, {state.self_[i], cross_attention_ ? &state.cross_[i] : nullptr}, masks, workspace);
    workspace.offer("output", hidden, shape);
  }
  normalize(hidden, workspace);
  workspace.offer("output", hidden, shape);
}

void Decoder::normalize(View hidden, Workspace& workspace) const {
  if (norm_) norm_->forward(hidden, hidden, workspace);
}

}  // namespace transformer
