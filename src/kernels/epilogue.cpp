#include "kernels/epilogue.h"

#include "kernels/activation.h"
#include "kernels/elementwise.h"

namespace transformer {

void finish(View block, int row, int col, const Epilogue& epilogue) {
  for (int r = 0; r < block.rows; ++r) {
    if (epilogue.bias) add_row(epilogue.bias + col, block.row(r), block.cols);
    activate(epilogue.activation, block.row_range(r, 1));
    if (epilogue.residual.data) add_row(epilogue.residual.row(row + r) + col, block.row(r), block.cols);
  }
}

}  // namespace transformer
