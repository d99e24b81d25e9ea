#include "layers/embedding.h"

#include "kernels/elementwise.h"

namespace transformer {

void Embedding::forward(std::span<const int> ids, View out) const {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    require(ids[i] >= 0 && ids[i] < vocab(), "the token id ", ids[i], " is outside of the vocabulary of ", vocab());
    float* row = out.row(static_cast<int>(i));
    table_->copy_column(ids[i], row);
    if (scale_ != 1.0f) scale_row(row, out.cols, scale_);
  }
}

}  // namespace transformer
