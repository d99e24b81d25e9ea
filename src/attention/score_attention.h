// Attention by any score, shared by additive and Luong attention: scores, softmax, weighted sum.
#pragma once

#include <functional>

#include "attention/mask.h"
#include "base/broadcast.h"
#include "base/workspace.h"

namespace transformer {

// The scores and the outputs for one sequence.
struct ScoreAttention {
  View scores;   // [queries, keys], the input
  View weights;  // [queries, keys]
  View context;  // [queries, d_v]
};

// alpha = softmax(scores + bias), c = alpha V. bias: the sequence's mask.
// A query that may attend to no key gets zeros.
void attend_by_scores(const ScoreAttention& attention, ConstView bias, ConstView values, Workspace& workspace);

// c = alpha V alone, for weights that change after the softmax.
void weighted_sum(ConstView weights, ConstView values, View context, Workspace& workspace);

// Queries (the decoder's states), keys (the encoder's states) and values. Their leading axes broadcast.
struct ScoreArguments {
  Tensor queries;  // [..., queries, d_query]
  Tensor keys;     // [..., keys, d_key]
  Tensor values;   // [..., keys, d_v]; empty: the keys
  Tensor mask;     // 1 = may attend: [keys], [batch, keys] or [..., queries, keys]; or empty. Refused if ambiguous
};

struct ScoredAttention {
  Tensor context;  // [..., queries, d_v]
  Tensor weights;  // [..., queries, keys]
  Tensor scores;   // [..., queries, keys], before mask and softmax
};

// The scoring of a batch, one sequence per call.
struct Scoring {
  std::function<void(ConstView queries, ConstView keys, View scores)> scores;
  // Changes the bias of sequence `index` before the softmax; optional.
  std::function<void(int index, View bias)> adjust_bias = {};
  // Changes the weights of sequence `index` after the softmax; optional.
  std::function<void(int index, View weights)> adjust_weights = {};
};

// Broadcasts the leading axes; the mask becomes a bias [..., queries, keys], or stays empty.
// invalid_argument for shapes that do not fit.
ScoreArguments broadcast(ScoreArguments arguments);

// `arguments` as broadcast() returns them.
ScoredAttention attend_by_scores(const ScoreArguments& arguments, const Scoring& scoring, Workspace& workspace);

}  // namespace transformer
