#include "transformer/input.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace transformer {

StackPositions::StackPositions(const StackConfig& stack, const WeightScope& scope, bool bidirectional)
    : other_layers_(stack.other_layers) {
  const AttentionConfig attention = attention_of(stack.layer);
  const StackShape shape = {stack.embedding_norm ? stack.input_width() : stack.layer.d_model, attention.num_heads,
                            attention.d_head, stack.num_layers, bidirectional};
  main_ = make_positions(stack.positions, scope, shape);
  if (!other_layers_.empty()) other_ = make_positions(stack.other_positions, scope, shape);
}

const std::shared_ptr<const PositionScheme>& StackPositions::of_layer(int layer) const {
  return std::find(other_layers_.begin(), other_layers_.end(), layer) == other_layers_.end() ? main_ : other_;
}

int StackPositions::max_length() const {
  return other_ ? std::min(main_->max_length(), other_->max_length()) : main_->max_length();
}

bool StackPositions::depends_on_length() const {
  return main_->depends_on_length() || (other_ && other_->depends_on_length());
}

InputLayer::InputLayer(const WeightScope& scope, const StackConfig& stack, TokenEmbedding embedding,
                       std::shared_ptr<const PositionScheme> positions)
    : d_model_(stack.layer.d_model),
      norm_before_positions_(stack.norm_before_positions),
      zero_start_(stack.zero_start),
      positions_(std::move(positions)) {
  const int width = stack.embedding_norm ? stack.input_width() : d_model_;
  if (embedding.table) embedding_.emplace(std::move(embedding.table), embedding.scale);
  if (stack.token_types > 0) token_types_ = (scope / "token_types").take("weight", {stack.token_types, width});
  if (stack.input_positions > 0) {
    input_positions_ = make_input_positions(scope / "input_positions", width, stack.input_positions);
  }
  if (stack.embedding_norm) norm_.emplace(scope / "embedding_norm", width, stack.layer.norm);
  if (stack.embedding_width > 0) {
    projection_.emplace(scope / "embedding_projection", stack.input_width(), d_model_, stack.embedding_norm);
  }
}

void InputLayer::embed(const Sequences& sequences, std::span<const int> first, View x) const {
  if (embedding_) {
    require(!sequences.vectors.data, "this model takes token ids, not vectors");
    require(count_of(sequences.ids) == x.rows, "expected ", x.rows, " token ids, got ", sequences.ids.size());
    embedding_->forward(sequences.ids, x);
    const Segments segments = sequences.segments();
    for (int row = 0; zero_start_ && row < sequences.batch; ++row) {
      if (first[row] == 0 && segments.length(row) > 0) std::fill_n(x.row(segments.first(row)), x.cols, 0.0f);
    }
  } else {
    require(sequences.vectors.data || x.rows == 0, "this model takes vectors, not token ids");
    require(sequences.vectors.rows == x.rows || x.rows == 0, "expected ", x.rows, " vectors, got ",
            sequences.vectors.rows);
    require(sequences.vectors.cols == d_model_ || x.rows == 0, "the vectors must have the width dModel = ", d_model_,
            ", got ", sequences.vectors.cols);
    if (sequences.vectors.data == x.data) return;  // already in place
    for (int row = 0; row < x.rows; ++row) std::copy_n(sequences.vectors.row(row), x.cols, x.row(row));
  }
}

void InputLayer::add_token_types(std::span<const int> types, View x) const {
  require(types.empty() || !token_types_.empty(), "this model has no token types");
  require(types.empty() || count_of(types) == x.rows, "expected ", x.rows, " token types, got ", types.size());
  if (token_types_.empty()) return;
  for (int row = 0; row < x.rows; ++row) {
    const int type = types.empty() ? 0 : types[row];
    require(type >= 0 && type < token_types_.axis(0), "token type ", type, " is outside of 0 to ",
            token_types_.axis(0) - 1);
    add_row(token_types_.matrix().row(type), x.row(row), x.cols);
  }
}

void InputLayer::add_positions(const Sequences& sequences, std::span<const int> first, View x) const {
  const Segments segments = sequences.segments();
  for (int row = 0; row < sequences.batch; ++row) {
    const View rows = x.row_range(segments.first(row), segments.length(row));
    positions_->add_to_input(rows, first[row]);
    if (input_positions_) input_positions_->add_to_input(rows, first[row]);
  }
}

void InputLayer::forward_sum(const Sequences& sequences, std::span<const int> first, View x,
                             Workspace& workspace) const {
  if (norm_before_positions_ && norm_) norm_->forward(x, x, workspace);
  const std::initializer_list<int> shape = {sequences.batch, sequences.time, x.cols};
  workspace.offer("tokens", x, shape);
  add_token_types(sequences.token_types, x);
  add_positions(sequences, first, x);
  workspace.offer("sum", x, shape);
  if (!norm_before_positions_ && norm_) norm_->forward(x, x, workspace);
}

void InputLayer::forward(const Sequences& sequences, std::span<const int> first, View x, Workspace& workspace) const {
  const PathScope part(workspace, "embeddings");
  const int tables = (embedding_ ? 1 : 0) + (positions_->adds_to_input() ? 1 : 0);
  workspace.count({.weight_bytes = tables * x.elements() * sizeof(float),
                   .state_bytes = (2 - tables % 2) * x.elements() * sizeof(float)});
  if (!projection_) {
    embed(sequences, first, x);
    forward_sum(sequences, first, x, workspace);
    return;
  }
  const Arena::Scope scope(workspace.arena);
  const View narrow = workspace.arena.take(x.rows, projection_->in_features());
  embed(sequences, first, narrow);
  if (norm_) forward_sum(sequences, first, narrow, workspace);
  projection_->forward(narrow, x, workspace);
  if (!norm_) forward_sum(sequences, first, x, workspace);
}

}  // namespace transformer
