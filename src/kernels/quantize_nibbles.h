// Weights as integers of 4 bits, in groups with a scale each.
#pragma once

#include <cstdint>

#include "kernels/panels.h"

namespace transformer {

// kNibbleGroup weights q * scale.
struct NibbleGroup {
  float largest;                                 // max |w|, NaN or infinity if the group has one
  std::uint16_t scale = 0;                       // bfloat16
  std::uint8_t integers[kNibbleGroup / 2] = {};  // q + 8, two in a byte, in the order of NibblePanels
};

// w: kNibbleGroup numbers. The scale is the one of a few near max |w| / 8 which leaves the least sum of squared errors;
// q = w / scale rounded to nearest even, from -8 to 7. Groups with NaN, infinity or no number of 1e-32 have the scale
// 0.
NibbleGroup quantize_nibbles(const float* w);

}  // namespace transformer
