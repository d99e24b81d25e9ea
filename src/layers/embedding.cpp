#include "layers/embedding.h"

#include "kernels/elementwise.h"

namespace transformer {

void Embedding::forward(std::span<const int> ids, View out) const {
  for (int row = 0; row < count_of(ids); ++row) {
    const int id = ids[row];
    require(id >= 0 && id < vocab(), "token id ", id, " is outside of the vocabulary of ", vocab());
    table_->copy_column(id, out.row(row));
    if (scale_ != 1.0f) scale_row(out.row(row), out.row(row), out.cols, scale_);
  }
}

}  // namespace transformer
