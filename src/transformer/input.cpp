#include "transformer/input.h"

#include <algorithm>

namespace transformer {

namespace {

std::optional<PositionalEncoding> make_positions(const WeightScope& scope, const TransformerConfig& config) {
  const int d_model = config.layer.d_model;
  switch (config.positions) {
    case Positions::kSinusoidal:
      return PositionalEncoding::sinusoidal(config.max_length, d_model, config.sinusoid_layout);
    case Positions::kLearned: return PositionalEncoding::learned(scope / "positions", config.max_length, d_model);
    default: return std::nullopt;
  }
}

}  // namespace

InputLayer::InputLayer(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding)
    : d_model_(config.layer.d_model), positions_(make_positions(scope, config)) {
  if (embedding) embedding_.emplace(std::move(embedding), config.embedding_scale);
}

void InputLayer::forward(const Sequences& sequences, std::span<const int> first, View x) const {
  if (embedding_) {
    require(!sequences.vectors.data, "the model takes token ids, not embeddings");
    require(sequences.ids.size() == static_cast<std::size_t>(x.rows), "expected ", x.rows, " token ids, got ",
            sequences.ids.size());
    embedding_->forward(sequences.ids, x);
  } else {
    require(sequences.vectors.data || x.rows == 0, "the model takes embeddings, not token ids");
    require(sequences.vectors.rows == x.rows || x.rows == 0, "expected ", x.rows, " embeddings, got ",
            sequences.vectors.rows);
    require(sequences.vectors.cols == d_model_ || x.rows == 0, "the embeddings must be ", d_model_, " wide, got ",
            sequences.vectors.cols);
    for (int row = 0; row < x.rows; ++row) std::copy_n(sequences.vectors.row(row), x.cols, x.row(row));
  }
  for (int row = 0; positions_ && row < sequences.batch; ++row) {
    positions_->add(x.row_range(row * sequences.time, sequences.time), first[static_cast<std::size_t>(row)]);
  }
}

}  // namespace transformer
