#include "transformer/output_projection.h"

#include "kernels/elementwise.h"

namespace transformer {

void OutputProjection::forward(ConstView hidden, View logits, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  ConstView in = hidden;
  if (scale_ != 1.0f) {
    const View scaled = workspace.arena.take(hidden.rows, hidden.cols);
    for (int row = 0; row < hidden.rows; ++row) scale_row(hidden.row(row), scaled.row(row), hidden.cols, scale_);
    in = scaled;
  }
  linear_.forward(in, logits, workspace);
  for (int row = 0; cap_ > 0.0f && row < logits.rows; ++row) soft_cap_row(logits.row(row), logits.cols, cap_);
}

}  // namespace transformer
