#include "recurrent/decoder_state.h"

#include <algorithm>

namespace transformer {

RecurrentDecoderState::RecurrentDecoderState(RecurrentMemory memory, Tensor keys, const Size& size)
    : memory_(std::move(memory)), keys_(std::move(keys)), size_(size) {
  const Shape shape = {size.rows, size.hidden + size.cell + size.fed};
  rows_ = Tensor::zeros(shape);
  spare_ = Tensor(shape);
}

void RecurrentDecoderState::reorder(std::span<const int> sources) {
  const ConstView from = rows_.matrix();
  for (int row = 0; row < rows(); ++row) {
    std::copy_n(from.row(sources[static_cast<std::size_t>(row)]), from.cols, spare_.matrix().row(row));
  }
  std::swap(rows_, spare_);
}

}  // namespace transformer
