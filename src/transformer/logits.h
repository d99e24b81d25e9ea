// From hidden states to logits: of a pass over given tokens, and of each token that is generated.
#pragma once

#include "transformer/transformer.h"

namespace transformer {

// Hidden states [rows, d_model] -> logits [rows, vocab], through the head, if any, and the projection: the model's own,
// or one with some of its columns.
Tensor project(const Transformer& model, ConstView hidden, Workspace& workspace);
void project(const Transformer& model, const OutputProjection& projection, ConstView hidden, View logits,
             Workspace& workspace);

}  // namespace transformer
