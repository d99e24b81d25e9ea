// What the attentions before the transformer share: scores first, then a softmax over them, then a weighted sum.
#pragma once

#include "attention/mask.h"
#include "base/workspace.h"

namespace transformer {

// Results of an attention whose scores are asked for: one sequence.
struct ScoreAttention {
  View scores;   // [queries, keys], filled before
  View weights;  // [queries, keys]
  View context;  // [queries, d_v]
};

// alpha = softmax(scores + bias), c = alpha V. bias: the mask for this sequence, added to a copy of the scores.
// A query that may attend to nothing gets zeros.
void attend_by_scores(const ScoreAttention& attention, ConstView bias, ConstView values, Workspace& workspace);

// c = alpha V alone, for weights that were changed after the softmax.
void weighted_sum(ConstView weights, ConstView values, View context, Workspace& workspace);

}  // namespace transformer
