#include "attention/multi_head.h"

#include <algorithm>

#include "kernels/activation.h"
#include "kernels/elementwise.h"

namespace transformer {

namespace {

// Keys and values are projected in blocks of this many tokens, so that a long sequence is not in memory twice: this
// saves 30 MB with d_model 512 and 8,192 tokens.
constexpr int kTokensAtOnce = 1024;

bool has_bias(const AttentionConfig& config, char projection) {
  return config.bias && config.unbiased.find(projection) == std::string::npos;
}

bool are_same(ConstView a, ConstView b) {
  return a.data == b.data && a.rows == b.rows && a.cols == b.cols && a.stride == b.stride;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const WeightScope& scope, const AttentionConfig& config,
                                       std::shared_ptr<const PositionScheme> positions)
    : config_(resolved(config)),
      positions_(std::move(positions)),
      q_proj_(scope / "q_proj", config_.d_model, config_.num_heads * config_.d_head, has_bias(config_, 'q')),
      k_proj_(scope / "k_proj", config_.d_key, config_.num_kv_heads * config_.d_head, has_bias(config_, 'k')),
      v_proj_(scope / "v_proj", config_.d_value, config_.num_kv_heads * config_.d_head, has_bias(config_, 'v')),
      out_proj_(scope / "out_proj", config_.num_heads * config_.d_head, config_.d_model, has_bias(config_, 'o')) {
  if (const Disentangled* scheme = positions_ ? positions_->disentangled() : nullptr) {
    disentangled_.emplace(scope, *scheme, config_);
  }
  if (config_.query_key_norm != QueryKeyNorm::kNone) {
    const auto make = [&](const char* name, int heads) {
      return HeadsNorm(scope / name, config_.query_key_norm, {heads, config_.d_head}, config_.norm);
    };
    q_norm_ = make("q_norm", config_.num_heads);
    k_norm_ = make("k_norm", config_.num_kv_heads);
  }
  if (config_.bias_kv) {
    bias_k_ = scope.take("bias_k", {config_.num_kv_heads * config_.d_head});
    bias_v_ = scope.take("bias_v", {config_.num_kv_heads * config_.d_head});
  }
}

KvCache::Size MultiHeadAttention::cache_size(int rows, int tokens) const {
  const int extra = (config_.bias_kv ? 1 : 0) + (config_.zero_attention ? 1 : 0);
  return {rows, config_.num_kv_heads, config_.d_head, config_.d_head, tokens + extra};
}

void MultiHeadAttention::append_keys_values(ConstView key, ConstView value, const Segments& tokens, KvCache& cache,
                                            Workspace& workspace) const {
  append({key, value, tokens}, cache, workspace);
}

void MultiHeadAttention::append(const NewTokens& input, KvCache& cache, Workspace& workspace) const {
  const auto& [key, value, tokens, queries] = input;
  const int rows = tokens.rows();
  // One block with an observer or editor, which sees all tokens at once, or with several sequences.
  const bool as_a_whole = workspace.is_watched() || (positions_ && positions_->depends_on_length());
  const bool in_blocks = tokens.batch == 1 && !as_a_whole;
  const int block = in_blocks ? std::min(kTokensAtOnce, rows) : rows;
  const Arena::Scope scope(workspace.arena);
  const View keys = workspace.arena.take(block, k_proj_.out_features());
  const View values = workspace.arena.take(block, v_proj_.out_features());
  for (int first = 0; first < rows; first += block) {
    const int count = std::min(block, rows - first);
    const Segments part_of_tokens = in_blocks ? Segments{1, count} : tokens;
    const View new_keys = keys.row_range(0, count);
    const View new_values = values.row_range(0, count);
    const ConstView from = key.row_range(first, count);
    if (queries.data) {
      Linear::forward_together(
          from, {{q_proj_, queries.row_range(first, count)}, {k_proj_, new_keys}, {v_proj_, new_values}}, workspace);
    } else if (are_same(key, value)) {
      Linear::forward_together(from, {{k_proj_, new_keys}, {v_proj_, new_values}}, workspace);
    } else {
      k_proj_.forward(from, new_keys, workspace);
      v_proj_.forward(value.row_range(first, count), new_values, workspace);
    }
    workspace.count({.state_bytes = 2 * (new_keys.elements() + new_values.elements()) * sizeof(float)});
    place(k_norm_, new_keys, part_of_tokens, workspace, [&](int row) { return cache.length(row); });
    if (workspace.is_watched()) {
      workspace.offer("keys", new_keys, {tokens.batch, tokens.time, keys.cols});
      workspace.offer("values", new_values, {tokens.batch, tokens.time, values.cols});
    }
    const PathScope part(workspace, "kv_cache");
    cache.append(part_of_tokens, heads_in_columns<const float>(new_keys, part_of_tokens, config_.d_head),
                 heads_in_columns<const float>(new_values, part_of_tokens, config_.d_head), workspace.threads);
  }
}

template <class FirstOf>
void MultiHeadAttention::place(const std::optional<HeadsNorm>& norm, View x, const Segments& tokens,
                               Workspace& workspace, const FirstOf& first_of) const {
  if (norm && !config_.norm_after_rotation) norm->forward(x, workspace);
  for (int row = 0; positions_ && row < tokens.batch; ++row) {
    positions_->rotate(x.row_range(tokens.first(row), tokens.length(row)), first_of(row), tokens.columns);
  }
  if (norm && config_.norm_after_rotation) norm->forward(x, workspace);
}

void MultiHeadAttention::append_extra_keys(KvCache& cache) const {
  const Tensor zeros = Tensor::zeros({config_.num_kv_heads * config_.d_head});
  auto append_to_all = [&](const Tensor& key, const Tensor& value) {  // the same for every sequence
    for (int row = 0; row < cache.rows(); ++row) {
      cache.append(row, 1, {.data = key.data(), .head = config_.d_head},
                   {.data = value.data(), .head = config_.d_head});
    }
  };
  if (config_.bias_kv) append_to_all(bias_k_, bias_v_);
  if (config_.zero_attention) append_to_all(zeros, zeros);
}

void MultiHeadAttention::scale_heads(std::span<const float> factors, View heads) const {
  for (int head = 0; head < count_of(factors); ++head) {
    if (factors[head] == 1.0f) continue;
    const View columns = heads.column_range(head * config_.d_head, config_.d_head);
    for (int row = 0; row < columns.rows; ++row) {
      scale_row(columns.row(row), columns.row(row), columns.cols, factors[head]);
    }
  }
}

void MultiHeadAttention::attend(const CachedAttention& given, const ResidualOutput& result,
                                Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const View queries = workspace.arena.take(given.query.rows, q_proj_.out_features());
  q_proj_.forward(given.query, queries, workspace);
  attend_projected({queries, given.queries, given.cache, given.mask}, result, workspace);
}

void MultiHeadAttention::attend_to_itself(const SelfAttention& input, const ResidualOutput& result,
                                          Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const auto& [x, tokens, cache, mask] = input;
  const View queries = workspace.arena.take(x.rows, q_proj_.out_features());
  append({x, x, tokens, queries}, cache, workspace);
  attend_projected({queries, tokens, cache, mask}, result, workspace);
}

void MultiHeadAttention::attend_projected(const ProjectedQueries& input, const ResidualOutput& result,
                                          Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const auto& [queries, tokens, cache, mask] = input;
  place(q_norm_, queries, tokens, workspace, [&](int row) { return cache.length(row) - tokens.length(row); });
  workspace.offer("queries", queries, {tokens.batch, tokens.time, queries.cols});
  const View heads = queries;  // the output of a head overwrites its queries
  const ConstHeads query_heads = heads_in_columns<const float>(queries, tokens, config_.d_head);
  Mask terms = mask;
  const AttentionInput of_heads = {query_heads, tokens,        config_.num_heads, cache,
                                   terms,       config_.scale, config_.score_cap};
  if (disentangled_) terms.positions = disentangled_->bias(of_heads, {q_proj_, k_proj_}, workspace);
  Tensor weights;
  Tensor scores;
  const bool wants_weights = workspace.wants("weights");
  const bool wants_scores = workspace.wants("scores");
  const bool is_edited = workspace.edits("weights") || workspace.edits("scores");
  const Heads out = heads_in_columns(heads, tokens, config_.d_head);
  scaled_dot_product_attention(
      of_heads, out, {wants_weights || is_edited ? &weights : nullptr, wants_scores || is_edited ? &scores : nullptr},
      workspace);
  if (is_edited) edit_attention(of_heads, out, {&weights, &scores}, workspace);
  if (wants_weights) workspace.record("weights", std::move(weights));
  if (wants_scores) workspace.record("scores", std::move(scores));
  scale_heads(workspace.factors_of_heads(), heads);
  out_proj_.forward(heads, result.out, workspace, Activation::kNone, result.residual);
}

void MultiHeadAttention::forward(const AttentionPass& input, const ResidualOutput& result, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const KvCache::Size size = cache_size(input.keys.batch, input.keys.time);
  const bool has_extra_keys = size.capacity > input.keys.time;
  const std::size_t floats = has_extra_keys ? KvCache::float_count(size) : KvCache::float_count(size, input.keys);
  KvCache cache(size, {workspace.arena.take(floats), floats});
  const bool is_self = are_same(input.query, input.key) && are_same(input.key, input.value);
  const View queries = workspace.arena.take(input.query.rows, q_proj_.out_features());
  append({input.key, input.value, input.keys, is_self ? queries : View{}}, cache, workspace);
  if (!is_self) q_proj_.forward(input.query, queries, workspace);
  append_extra_keys(cache);
  Mask mask = input.mask;
  mask.unmasked_keys = (config_.bias_kv ? 1 : 0) + (config_.zero_attention ? 1 : 0);
  attend_projected({queries, input.queries, cache, mask}, result, workspace);
}

}  // namespace transformer
