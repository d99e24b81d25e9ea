// A learned vector for each position, added to the embeddings (Gehring et al. 2017; BERT, GPT-2).
#pragma once

#include "base/fields.h"
#include "positions/position_scheme.h"
#include "weights/weights.h"

namespace transformer {

struct LearnedPositions {
  static constexpr const char* kName = "learned";

  int max_length = 0;
};

constexpr auto fields_of(const LearnedPositions*) {
  return std::tuple{Field{"maxLength", &LearnedPositions::max_length}};
}

class Learned : public PositionScheme {
 public:
  // scope: weight [max_length, d_model]
  Learned(const WeightScope& scope, int d_model, const LearnedPositions& config)
      : table_(scope.take("weight", {config.max_length, d_model})) {}

  int max_length() const override { return table_.axis(0); }
  bool adds_to_input() const override { return true; }
  void add_to_input(View x, int first) const override;

 private:
  Tensor table_;
};

}  // namespace transformer
