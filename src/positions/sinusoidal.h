// Fixed sines and cosines of the position, added to the embeddings (Vaswani et al. 2017, section 3.5).
#pragma once

#include "base/fields.h"
#include "base/names.h"
#include "positions/position_scheme.h"

namespace transformer {

// The order of the columns: sines and cosines interleaved (the paper), or all sines before all cosines (Marian);
// kFairseq is the latter with the frequencies base^(-i / (d_model/2 - 1)).
enum class SinusoidLayout { kInterleaved, kHalves, kFairseq };

constexpr auto enum_names(SinusoidLayout) {
  return std::to_array<Named<SinusoidLayout>>({{"interleaved", SinusoidLayout::kInterleaved},
                                               {"halves", SinusoidLayout::kHalves},
                                               {"fairseq", SinusoidLayout::kFairseq}});
}

struct SinusoidalPositions {
  static constexpr const char* kName = "sinusoidal";

  int max_length = 0;
  SinusoidLayout layout = SinusoidLayout::kInterleaved;
  int offset = 0;  // the position of the first token
  double base = kWavelengthBase;
};

constexpr auto fields_of(const SinusoidalPositions*) {
  return std::tuple{Field{"maxLength", &SinusoidalPositions::max_length}, Field{"layout", &SinusoidalPositions::layout},
                    Field{"offset", &SinusoidalPositions::offset}, Field{"base", &SinusoidalPositions::base}};
}

// Row p, pair i: sin(p / base^(2i/d_model)) and cos of the same, for positions offset <= p < offset + length.
// Computed in double precision; an odd width drops the last cosine (kFairseq: ends in a zero). -> [length, d_model]
Tensor sinusoidal_positions(int d_model, const SinusoidalPositions& config);

class Sinusoidal : public PositionScheme {
 public:
  Sinusoidal(int d_model, const SinusoidalPositions& config);

  int max_length() const override { return table_.max_length(); }
  bool adds_to_input() const override { return true; }
  void add_to_input(View x, int first) const override;

 private:
  PositionTable table_;  // [max_length, d_model]
};

}  // namespace transformer
