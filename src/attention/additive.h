// Bahdanau's additive attention: e_ij = v^T tanh(W_s s_i + W_h h_j) (Bahdanau et al. 2015, section 3.1 and appendix
// A.1.2, where W_s and W_h are called W_a and U_a).
#pragma once

#include "attention/score_attention.h"

namespace transformer {

struct AdditiveWeights {
  ConstView Ws;                 // [d_attention, d_query]
  ConstView Wh;                 // [d_attention, d_key]
  const float* v;               // [d_attention]
  const float* bias = nullptr;  // [d_attention] inside the tanh, or null
};

// queries [queries, d_query], keys [keys, d_key] -> scores [queries, keys]
void additive_scores(ConstView queries, ConstView keys, const AdditiveWeights& weights, View scores,
                     Workspace& workspace);

// The weights as tensors; bias may be empty.
struct AdditiveTensors {
  Tensor Ws;
  Tensor Wh;
  Tensor v;
  Tensor bias;
};

// Over whole tensors. invalid_argument for shapes that do not fit.
ScoredAttention additive_attention(ScoreArguments arguments, const AdditiveTensors& weights, Workspace& workspace);

}  // namespace transformer
