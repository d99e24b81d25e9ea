// Luong's multiplicative attentions (Luong, Pham and Manning 2015, section 3.1).
#pragma once

#include "attention/score_attention.h"
#include "base/names.h"

namespace transformer {

// dot: s^T h. queries [queries, d], keys [keys, d] -> scores [queries, keys]
void luong_dot_scores(ConstView queries, ConstView keys, View scores, Workspace& workspace);

// general: s^T W h. W [d_query, d_key]
void luong_general_scores(ConstView queries, ConstView keys, ConstView W, View scores, Workspace& workspace);

// concat: v^T tanh(W [s; h])
struct ConcatWeights {
  ConstView W;     // [d_attention, d_query + d_key]
  const float* v;  // [d_attention]
};
void luong_concat_scores(ConstView queries, ConstView keys, const ConcatWeights& weights, View scores,
                         Workspace& workspace);

// Local attention (section 3.2): only keys j with |j - p_i| <= D, for the centre p_i of query i.
// Sets bias [queries, keys] to kForbidden outside of the windows.
void mask_outside_window(const float* centers, float D, View bias);

// The Gaussian of the predictive form (eq. 10): weights *= exp(-(j - p_i)^2 / (2 sigma^2)), sigma = D / 2, without
// renormalisation.
void favour_center(const float* centers, float D, View weights);

enum class LuongScore { kDot, kGeneral, kConcat };

constexpr auto enum_names(LuongScore) {
  return std::to_array<Named<LuongScore>>(
      {{"dot", LuongScore::kDot}, {"general", LuongScore::kGeneral}, {"concat", LuongScore::kConcat}});
}

// The score, its weights, and the window of local attention; unused tensors are empty.
struct LuongTensors {
  LuongScore score = LuongScore::kDot;
  Tensor W = {};
  Tensor v = {};
  Tensor centers = {};  // [..., queries], the p_i of local attention; empty: attends to all keys
  float D = 0;
  bool gaussian = false;  // weights keys by their distance from the centre
};

// Over whole tensors. invalid_argument for shapes that do not fit.
ScoredAttention luong_attention(ScoreArguments arguments, LuongTensors tensors, Workspace& workspace);

}  // namespace transformer
