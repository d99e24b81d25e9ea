// Rotary position embedding: queries and keys are turned by an angle that grows with their position (Su et al. 2021,
// eq. 15).
#pragma once

#include "base/names.h"
#include "positions/position_scheme.h"

namespace transformer {

// Which two numbers of a head make a pair: neighbours (the paper), or one from each half (GPT-NeoX, Llama).
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
  // Angles position * base^(-2i/d_head) for pair i, in double precision. d_head must be even.
  Rotary(int d_head, const RotaryPositions& config);

  int max_length() const override { return cosines_.axis(0); }
  void rotate(View x, int first) const override;

 private:
  RotaryLayout layout_;
  int d_head_;
  Tensor cosines_;  // [max_length, d_head / 2]
  Tensor sines_;
};

// x [..., time, d_head] with each row turned by its position, the first one standing at `offset`; the config's
// max_length does not count. -> the same shape
Tensor rotated(Tensor x, int offset, RotaryPositions config);

}  // namespace transformer
