// A norm of queries and of keys before their products, which keeps the scores small (Henry et al. 2020; Dehghani et al.
// 2023, section 2).
#pragma once

#include "layers/norm.h"

namespace transformer {

// The part that is normalised: each head, with one weight for all heads (Qwen3) or one for each (Cohere); or the whole
// projection (OLMo 2).
enum class QueryKeyNorm { kNone, kHead, kHeads, kWidth };

constexpr auto enum_names(QueryKeyNorm) {
  return std::to_array<Named<QueryKeyNorm>>({{"none", QueryKeyNorm::kNone},
                                             {"head", QueryKeyNorm::kHead},
                                             {"heads", QueryKeyNorm::kHeads},
                                             {"width", QueryKeyNorm::kWidth}});
}

// Heads side by side in the columns of a projection.
struct HeadsWidth {
  int heads;
  int d_head;
};

class HeadsNorm {
 public:
  // scope: weight [d_head], or [heads * d_head]
  HeadsNorm(const WeightScope& scope, QueryKeyNorm span, HeadsWidth width, const NormConfig& config);

  // x [rows, heads * d_head] in place
  void forward(View x, Workspace& workspace) const;

 private:
  std::string name_;  // in paths: "q_norm"
  NormConfig config_;
  int parts_;   // normalised by themselves
  int stride_;  // from the weights of one part to those of the next; 0: they share them
  Tensor weight_;
};

}  // namespace transformer
