// The greatest magnitude of some numbers, which also tells whether all of them are finite.
#pragma once

#include <span>

namespace transformer {

// max(least, max |x|) for a least >= 0; NaN or infinity if there is one, NaN if there are both.
float largest_magnitude(std::span<const float> numbers, float least = 0.0f);

}  // namespace transformer
