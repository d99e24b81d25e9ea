#include "transformer/output_projection.h"

#include "kernels/elementwise.h"

namespace transformer {

void OutputProjection::forward(ConstView hidden, View logits, Workspace& workspace) const {
  if (scale_ == 1.0f) return linear_.forward(hidden, logits, workspace);
  const Arena::Scope scope(workspace.arena);
  const View scaled = workspace.arena.take(hidden.rows, hidden.cols);
  for (int row = 0; row < hidden.rows; ++row) scale_row(hidden.row(row), scaled.row(row), hidden.cols, scale_);
  linear_.forward(scaled, logits, workspace);
}

}  // namespace transformer
