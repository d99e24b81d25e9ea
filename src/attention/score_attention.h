// What the attentions before the transformer share: scores first, then a softmax over them, then a weighted sum.
#pragma once

#include <functional>

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

// Queries (the decoder's states), keys (the encoder's) and what is averaged, with any leading axes, which broadcast.
struct ScoreArguments {
  Tensor queries;  // [..., queries, d_query]
  Tensor keys;     // [..., keys, d_key]
  Tensor values;   // [..., keys, d_v]; empty: the keys
  Tensor mask;     // 1 = may attend: [keys], [batch, keys] or [..., queries, keys]; or empty
};

struct ScoredAttention {
  Tensor context;  // [..., queries, d_v]
  Tensor weights;  // [..., queries, keys]
  Tensor scores;   // [..., queries, keys], before mask and softmax
};

// How the sequences of a batch are scored: each function gets one of them at a time.
struct Scoring {
  std::function<void(ConstView queries, ConstView keys, View scores)> scores;
  // Changes what is added to the scores of sequence `index` before the softmax; may be missing.
  std::function<void(int index, View bias)> adjust_bias = {};
  // Changes its weights after the softmax; may be missing.
  std::function<void(int index, View weights)> adjust_weights = {};
};

// The arguments with their leading axes repeated; the mask becomes a bias [..., queries, keys], or stays empty.
// invalid_argument for shapes that do not fit.
ScoreArguments broadcast(ScoreArguments arguments);

// `arguments` as broadcast() returns them.
ScoredAttention attend_by_scores(const ScoreArguments& arguments, const Scoring& scoring, Workspace& workspace);

// Throw invalid_argument that names the tensor and the shape wanted.
void require_matrix(const Tensor& x, int cols, const char* name, const char* wanted);
const float* vector_of(const Tensor& x, int size, const char* name);

}  // namespace transformer
