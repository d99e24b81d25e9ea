#include "transformer/decoder.h"

#include <algorithm>

namespace transformer {

void DecoderState::reorder(std::span<const int> parents) {
  for (KvCache& cache : self_) cache.reorder(parents);
  for (SsruCells& cells : cells_) cells.reorder(parents);
  if (cross_.empty()) return;
  std::vector<int> memories, kept;
  memories.reserve(parents.size());
  for (int parent : parents) {
    if (kept.empty() || kept.back() != memories_[parent]) kept.push_back(memories_[parent]);
    memories.push_back(count_of(kept) - 1);
  }
  memories_ = std::move(memories);
  for (KvCache& cache : cross_) cache.reorder(kept);
}

void DecoderState::join(DecoderState&& other) {
  memories_.reserve(memories_.size() + other.memories_.size());
  const auto for_each_cache = [&](const auto& work) {
    for (int i = 0; i < count_of(self_); ++i) work(self_[i], other.self_[i]);
    for (int i = 0; i < count_of(cells_); ++i) work(cells_[i], other.cells_[i]);
    for (int i = 0; i < count_of(cross_); ++i) work(cross_[i], other.cross_[i]);
  };
  for_each_cache([](auto& cache, auto& joining) { cache.reserve_for(joining); });
  const int memories = cross_.empty() ? 0 : cross_.front().rows();
  for (int memory : other.memories_) memories_.push_back(memories + memory);
  for_each_cache([](auto& cache, auto& joining) { cache.join(std::move(joining)); });
}

std::vector<std::size_t> DecoderState::page_floats() const {
  std::vector<std::size_t> floats;
  for (const KvCache& cache : self_) floats.push_back(cache.page_floats());
  return floats;
}

std::size_t DecoderState::page_bytes() const {
  std::size_t bytes = 0;
  for (const KvCache& cache : self_) bytes += cache.page_floats() * sizeof(float);
  return bytes;
}

DecoderState::Pages DecoderState::share_pages(int row, int page) const {
  Pages pages;
  for (const KvCache& cache : self_) pages.push_back(cache.share_page(row, page));
  return pages;
}

void DecoderState::adopt_pages(int row, const Pages& pages) {
  for (int layer = 0; layer < count_of(self_); ++layer) self_[layer].adopt_page(row, pages[layer]);
}

LayerCaches DecoderState::caches(int layer) {
  const auto of_layer = [layer](auto& caches) { return caches.empty() ? nullptr : &caches[layer]; };
  return {of_layer(self_), of_layer(cross_), of_layer(cells_)};
}

Segments DecoderState::queries_of_memories(const Segments& tokens) {
  if (cross_.empty()) return {};
  offsets_.assign(1, 0);
  int longest = 0;
  for (int row = 0; row < tokens.batch; ++row) {
    if (row == 0 || memories_[row] != memories_[row - 1]) offsets_.push_back(0);
    offsets_.back() = tokens.first(row + 1);
    longest = std::max(longest, offsets_.back() - offsets_[offsets_.size() - 2]);
  }
  return {count_of(offsets_) - 1, longest, offsets_};
}

Decoder::Decoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding)
    : positions_(config.decoder, scope, false),
      input_(scope, config.decoder, {std::move(embedding), config.embedding_scale}, positions_.main()),
      windows_(config.decoder.windows),
      cross_attention_(config.encoder.num_layers > 0) {
  const LayerConfig& layer = config.decoder.layer;
  const int memory_width = config.memory_projection ? layer.d_model : config.memory_width();
  for (int i = 0; i < config.decoder.num_layers; ++i) {
    layers_.emplace_back(scope / "layers" / i, layer, cross_attention_ ? memory_width : 0, positions_.of_layer(i),
                         i > 0 || config.decoder.first_norm);
  }
  if (config.decoder.norm) norm_.emplace(scope / "norm", layer.d_model, layer.norm);
  if (config.memory_projection) {
    memory_projection_.emplace(scope / "memory_projection", config.memory_width(), layer.d_model, true);
  }
}

DecoderState Decoder::start(const Memory& memory, int rows, int capacity, Workspace& workspace) const {
  const PathScope stack(workspace, "decoder");
  DecoderState state;
  for (int row = 0; cross_attention_ && row < rows; ++row) state.memories_.push_back(row / (rows / memory.batch));
  require(!cross_attention_ || memory.states.data || memory.batch * memory.keys == 0,
          "memory is missing: this decoder attends to the encoder's output");
  workspace.batch = std::max(1, memory.batch);
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
    if (layer.is_recurrent()) {
      state.cells_.push_back(layer.start_cells(rows));
    } else {
      state.self_.emplace_back(layer.self_cache_size(rows, capacity));
    }
    if (!cross_attention_) continue;
    layer.append_memory(states, memory.segments(),
                        state.cross_.emplace_back(layer.cross_cache_size(memory.batch, memory.keys)), workspace);
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
  const DecoderTokens tokens = {next.segments(), state.queries_of_memories(next.segments())};
  for (int row = 0; row < next.batch; ++row) {
    first.push_back(state.length(row));
    longest = std::max(longest, state.length(row) + tokens.self.length(row));
  }
  workspace.start(first);
  workspace.batch = std::max(1, next.batch);
  input_.forward(next, first, hidden, workspace);
  workspace.offer("embeddings", hidden, shape);
  for (int i = 0; i < count_of(layers_); ++i) {
    const PathScope path(workspace, "layers", i);
    if (i == 0 || positions_.main()->differs_by_layer()) {
      masks.self.distance = positions_.main()->score_bias(i, longest, workspace.arena);
    }
    if (!windows_.empty()) masks.self.window = windows_[i];
    layers_[i].forward(hidden, tokens, state.caches(i), masks, workspace);
    workspace.offer("output", hidden, shape);
  }
  normalize(hidden, workspace);
  workspace.offer("output", hidden, shape);
}

void Decoder::normalize(View hidden, Workspace& workspace) const {
  if (norm_) norm_->forward(hidden, hidden, workspace);
}

}  // namespace transformer
