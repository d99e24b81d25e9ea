#include "positions/position_scheme.h"

#include <algorithm>

namespace transformer {

void require_positions(int length, int max_length) {
  require(length <= max_length, "the sequence is ", length, " tokens long, but the model has only ", max_length,
          " positions");
}

PositionTable::PositionTable(int max_length, int cols, Fill fill)
    : max_length_(max_length), cols_(cols), fill_(std::move(fill)), rows_(Shape{0, cols}) {}

ConstView PositionTable::up_to(int length) const {
  require_positions(length, max_length_);
  const int known = rows_.axis(0);
  if (length > known) {
    constexpr int kLeast = 64;
    const int doubled = known > max_length_ / 2 ? max_length_ : 2 * known;
    Tensor longer({std::min(max_length_, std::max({length, doubled, kLeast})), cols_});
    std::copy_n(rows_.data(), rows_.size(), longer.data());
    fill_(known, longer.matrix().row_range(known, longer.axis(0) - known));
    rows_ = std::move(longer);
  }
  return rows_.matrix();
}

}  // namespace transformer
