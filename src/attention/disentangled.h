// The terms that DeBERTa adds to the scores (He et al. 2021, eq. 4):
//
//   Q_i . P^K[r(i - j)] + K_j . P^Q[r(i - j)]
//
// P^K and P^Q are the table of distances, projected as keys and as queries.
#pragma once

#include <optional>

#include "attention/config.h"
#include "attention/scaled_dot_product.h"
#include "layers/linear.h"
#include "positions/disentangled.h"

namespace transformer {

class DisentangledTerms {
 public:
  // The projections of the content.
  struct Projections {
    const Linear& query;
    const Linear& key;
  };

  // scope: pos_key_proj and pos_query_proj, unless they are shared
  DisentangledTerms(const WeightScope& scope, const Disentangled& positions, const AttentionConfig& config);

  // Both terms times the scale, [batch, heads, queries, keys]; valid until the arena's scope ends.
  ScoreBias bias(const AttentionInput& input, const Projections& content, Workspace& workspace) const;

 private:
  const Disentangled& positions_;
  std::optional<Linear> key_;
  std::optional<Linear> query_;
};

}  // namespace transformer
