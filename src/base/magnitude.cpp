#include "base/magnitude.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace transformer {

// Without the sign bit, floats compare like their bits as integers, and those of infinity and NaN are the greatest.
float largest_magnitude(std::span<const float> numbers, float least) {
  std::uint32_t largest = std::bit_cast<std::uint32_t>(least);
  for (const float x : numbers) largest = std::max(largest, std::bit_cast<std::uint32_t>(x) & 0x7fffffffu);
  return std::bit_cast<float>(largest);
}

}  // namespace transformer
