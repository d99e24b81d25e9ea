#include "transformer/logits.h"

namespace transformer {

void project(const Transformer& model, const OutputProjection& projection, ConstView hidden, View logits,
             Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  ConstView states = hidden;
  if (model.head()) {
    const View transformed = workspace.arena.take(hidden.rows, model.head()->out_features());
    model.head()->forward(hidden, transformed, workspace);
    states = transformed;
  }
  projection.forward(states, logits, workspace);
}

Tensor project(const Transformer& model, ConstView hidden, Workspace& workspace) {
  Tensor logits({hidden.rows, model.projection().vocab()});
  project(model, model.projection(), hidden, logits.matrix(), workspace);
  return logits;
}

}  // namespace transformer
