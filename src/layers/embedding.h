// Token ids to vectors.
#pragma once

#include <span>

#include "layers/linear.h"

namespace transformer {

// Takes the table `weight` [vocab, d_model] from the scope.
inline SharedMatrix take_embedding(const WeightScope& scope, int vocab, int d_model) {
  return scope.take_matrix("weight", vocab, d_model, MatrixPurpose::kEmbedding);
}

class Embedding {
 public:
  // table: a matrix [vocab, d_model] as take_embedding() packs it; scale: sqrt(d_model) in Vaswani et al. 2017,
  // section 3.4.
  Embedding(SharedMatrix table, float scale) : table_(std::move(table)), scale_(scale) {}

  int vocab() const { return table_->cols(); }
  const SharedMatrix& table() const { return table_; }

  // ids [rows] -> out [rows, d_model]. invalid_argument for an id outside of [0, vocab).
  void forward(std::span<const int> ids, View out) const;

 private:
  SharedMatrix table_;
  float scale_;
};

}  // namespace transformer
