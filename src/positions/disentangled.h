// A vector for each bucket of distances, which the scores relate to queries and keys (He et al. 2021: DeBERTa, section
// 3.2; the buckets are those of its second and third version).
#pragma once

#include "base/fields.h"
#include "positions/position_scheme.h"
#include "weights/weights.h"

namespace transformer {

struct DisentangledPositions {
  static constexpr const char* kName = "disentangled";

  int buckets = 256;       // of the distances on either side; 0: a vector for each distance
  int max_distance = 512;  // where the buckets end
  int span = 256;          // the table has 2 * span rows
  float norm_eps = 0.0f;   // of a norm of the table; 0: it has none
  bool content_to_position = true;
  bool position_to_content = true;
  bool share_projections = true;  // the table goes through the projections of queries and keys, not through its own
};

constexpr auto fields_of(const DisentangledPositions*) {
  return std::tuple{Field{"buckets", &DisentangledPositions::buckets},
                    Field{"maxDistance", &DisentangledPositions::max_distance},
                    Field{"span", &DisentangledPositions::span},
                    Field{"normEps", &DisentangledPositions::norm_eps},
                    Field{"contentToPosition", &DisentangledPositions::content_to_position},
                    Field{"positionToContent", &DisentangledPositions::position_to_content},
                    Field{"shareProjections", &DisentangledPositions::share_projections}};
}

class Disentangled : public PositionScheme {
 public:
  // scope: weight [2 * span, d_model]; norm.weight and norm.bias [d_model] if it has a norm
  Disentangled(const WeightScope& scope, int d_model, const DisentangledPositions& config);

  const DisentangledPositions& config() const { return config_; }
  const Disentangled* disentangled() const override { return this; }

  ConstView table() const { return table_.matrix(); }
  // The row of a distance (query - key).
  int row(int distance) const;

 private:
  DisentangledPositions config_;
  Tensor table_;
};

}  // namespace transformer
