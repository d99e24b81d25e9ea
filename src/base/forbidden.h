// -inf, the score of what is forbidden: a key that must not be attended to, a token that must not be chosen.
#pragma once

#include <limits>

namespace transformer {

inline constexpr float kForbidden = -std::numeric_limits<float>::infinity();

}  // namespace transformer
