#include "positions/learned.h"

#include "kernels/elementwise.h"

namespace transformer {

void Learned::add_to_input(View x, int first) const {
  require_positions(first + x.rows, max_length());
  for (int row = 0; row < x.rows; ++row) add_row(table_.matrix().row(first + row), x.row(row), x.cols);
}

}  // namespace transformer
