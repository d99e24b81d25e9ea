#include "transformer/input.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace transformer {

std::shared_ptr<const PositionScheme> make_positions(const StackConfig& stack, const WeightScope& scope,
                                                     bool bidirectional) {
  const AttentionConfig attention = attention_of(stack.layer);
  return make_positions(stack.positions, scope,
                        {stack.layer.d_model, attention.num_heads, attention.d_head, bidirectional});
}

InputLayer::InputLayer(const WeightScope& scope, const StackConfig& stack, TokenEmbedding embedding,
                       std::shared_ptr<const PositionScheme> positions)
    : d_model_(stack.layer.d_model), positions_(std::move(positions)) {
  if (embedding.table) embedding_.emplace(std::move(embedding.table), embedding.scale);
  if (stack.token_types > 0) token_types_ = (scope / "token_types").take("weight", {stack.token_types, d_model_});
  if (stack.embedding_norm) norm_.emplace(scope / "embedding_norm", d_model_, stack.layer.norm);
}

void InputLayer::embed(const Sequences& sequences, View x) const {
  if (embedding_) {
    require(!sequences.vectors.data, "this model takes token ids, not vectors");
    require(count_of(sequences.ids) == x.rows, "expected ", x.rows, " token ids, got ", sequences.ids.size());
    embedding_->forward(sequences.ids, x);
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

void InputLayer::forward(const Sequences& sequences, std::span<const int> first, View x, Workspace& workspace) const {
  const PathScope part(workspace, "embeddings");
  const int tables = (embedding_ ? 1 : 0) + (positions_->adds_to_input() ? 1 : 0);
  workspace.count({.weight_bytes = tables * x.elements() * sizeof(float),
                   .state_bytes = (2 - tables % 2) * x.elements() * sizeof(float)});
  embed(sequences, x);
  add_token_types(sequences.token_types, x);
  const Segments segments = sequences.segments();
  for (int row = 0; row < sequences.batch; ++row) {
    positions_->add_to_input(x.row_range(segments.first(row), segments.length(row)), first[row]);
  }
  if (norm_) norm_->forward(x, x, workspace);
}

}  // namespace transformer
