// The attention of a recurrent decoder: how much of each source state it takes at a step (the alignment model of
// Bahdanau et al. 2015; the alignment vector of Luong et al. 2015, global, and local-p of section 3.2).
#pragma once

#include <optional>
#include <span>

#include "base/names.h"
#include "layers/linear.h"

namespace transformer {

// dot: s^T h; general: s^T W h; concat: v^T tanh(W_s s + W_h h), which is Bahdanau's additive score, and Luong's concat
// with its matrix cut in two. none: no attention; the context of every step is where each direction of the encoder
// ended, one vector for the whole source (Cho et al. 2014), and all weights are 0.
enum class AlignmentScore { kDot, kGeneral, kConcat, kNone };

constexpr auto enum_names(AlignmentScore) {
  return std::to_array<Named<AlignmentScore>>({{"dot", AlignmentScore::kDot},
                                               {"general", AlignmentScore::kGeneral},
                                               {"concat", AlignmentScore::kConcat},
                                               {"none", AlignmentScore::kNone}});
}

struct AlignmentConfig {
  AlignmentScore score = AlignmentScore::kConcat;
  int query_size = 0;
  int key_size = 0;  // that of each direction, query_size, times their number
  int d_attention = 0;
  int window = 0;  // D of local-p; 0: global
};

// The source states of a batch of sentences, and what the score makes of them once.
struct AlignmentMemory {
  ConstView states;  // [batch * time, key_size]
  ConstView keys;    // [batch * time, keys_size()]
  int time = 0;
  std::span<const int> lengths;  // [batch]; states beyond them are never read
};

// A row for each query.
struct AlignmentResult {
  View weights;  // [queries, time], zeros beyond a sentence's length
  View context;  // [queries, key_size]
  View centers;  // [queries, 1] of local-p: p
};

class Alignment {
 public:
  // scope: W.weight [query_size, key_size] of general; Ws.weight [d_attention, query_size], Wh.weight [d_attention,
  // key_size] and v [d_attention] of concat; Wp.weight [d_attention, query_size] and vp [d_attention] of local-p
  Alignment(const WeightScope& scope, const AlignmentConfig& config);

  int keys_size() const;

  // states [rows, key_size] -> keys [rows, keys_size()]
  void project_keys(ConstView states, View keys, Workspace& workspace) const;

  // queries [batch * n, query_size]: n neighbours attend to one sentence.
  //   a = softmax_j score(s, h_j), c = sum_j a_j h_j
  // local-p: p = S sigma(v_p^T tanh(W_p s)) for a sentence of S states, counted from 0; only those with |j - p| <= D,
  // and a_j exp(-(j - p)^2 / (2 sigma^2)), sigma = D / 2, in place of a_j.
  void forward(ConstView queries, const AlignmentMemory& memory, const AlignmentResult& result,
               Workspace& workspace) const;

 private:
  // Score none: [forward state of the last word; backward state of the first].
  void take_ends(const AlignmentMemory& memory, const AlignmentResult& result) const;
  void find_centers(ConstView queries, const AlignmentMemory& memory, View centers, Workspace& workspace) const;

  AlignmentConfig config_;
  std::optional<Linear> query_;  // Ws
  std::optional<Linear> key_;    // Wh, or W
  Tensor v_;
  std::optional<Linear> center_;  // Wp
  Tensor center_v_;
};

}  // namespace transformer
