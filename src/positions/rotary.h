// Rotary position embedding: rotates queries and keys by angles proportional to their position (Su et al. 2021, eq.
// 15).
#pragma once

#include "base/names.h"
#include "positions/position_scheme.h"

namespace transformer {

// Which two numbers of a head form a pair: adjacent ones (the paper), or one from each half (GPT-NeoX, Llama).
enum class RotaryLayout { kInterleaved, kHalves };

constexpr auto enum_names(RotaryLayout) {
  return std::to_array<Named<RotaryLayout>>(
      {{"interleaved", RotaryLayout::kInterleaved}, {"halves", RotaryLayout::kHalves}});
}

struct RotaryPositions {
  static constexpr const char* kName = "rotary";

  int max_length = 0;
  RotaryLayout layout = RotaryLayout::kHalves;
  double base = kWavelengthBase;
};

class Rotary : public PositionScheme {
 public:
  // The angle of pair i is position * base^(-2i/d_head), computed in double precision. d_head must be even.
  Rotary(int d_head, const RotaryPositions& config);

  int max_length() const override { return angles_.max_length(); }
  void rotate(View x, int first) const override;

 private:
  RotaryLayout layout_;
  PositionTable angles_;  // [max_length, d_head]: cosines, then sines
};

// x [..., time, d_head] with the rows rotated for the positions offset, offset + 1, ...; ignores the config's
// max_length.
Tensor rotated(Tensor x, int offset, const RotaryPositions& config);

}  // namespace transformer
