#include "transformer/decoder.h"

namespace transformer {

void DecoderState::reorder(std::span<const int> sources, ThreadPool& threads) {
  for (KvCache& cache : self_) cache.reorder(sources, threads);
}

Decoder::Decoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding)
    : input_(scope, config, config.decoder, std::move(embedding)),
      position_bias_(make_position_bias(scope, config, config.decoder.layer.num_heads, false)),
      cross_attention_(config.encoder.num_layers > 0) {
  const LayerConfig& layer = config.decoder.layer;
  const auto rotary = make_rotary(config, layer.d_head);
  for (int i = 0; i < config.decoder.num_layers; ++i) {
    layers_.emplace_back(scope / "layers" / i, layer, cross_attention_, rotary);
  }
  if (config.decoder.norm) norm_.emplace(scope / "norm", layer.d_model, layer.norm);
}

DecoderState Decoder::start(const Memory& memory, int rows, int capacity, Workspace& workspace) const {
  const ProbeScope stack(workspace, "decoder");
  DecoderState state;
  auto make_cache = [&state](const KvCache::Size& size) {
    state.buffers_.emplace_back(KvCache::float_count(size));
    return KvCache(size, state.buffers_.back().data());
  };
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const DecoderLayer& layer = layers_[i];
    const ProbeScope probe(workspace, "layers", static_cast<int>(i));
    state.self_.push_back(make_cache(layer.self_cache_size(rows, capacity)));
    if (!cross_attention_) continue;
    require(memory.states.data || memory.batch * memory.keys == 0, "the decoder needs the encoder's memory");
    KvCache cross = make_cache(layer.cross_cache_size(memory.batch, memory.keys));
    layer.append_memory(memory.states, cross, workspace);
    state.cross_.push_back(std::move(cross));
  }
  return state;
}

void Decoder::forward(const Sequences& next, DecoderState& state, DecoderMasks masks, View hidden,
                      Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const ProbeScope stack(workspace, "decoder");
  const std::initializer_list<int> shape = {next.batch, next.time, hidden.cols};
  std::vector<int> first;
  int longest = 0;
  for (int row = 0; row < next.batch; ++row) {
    first.push_back(state.length(row));
    longest = std::max(longest, state.length(row) + next.time);
  }
  input_.forward(next, first, hidden, workspace);
  workspace.offer("embeddings", hidden, shape);
  if (position_bias_) masks.self.relative = position_bias_->table(longest, workspace.arena);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const ProbeScope probe(workspace, "layers", static_cast<int>(i));
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
