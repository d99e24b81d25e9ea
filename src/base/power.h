// base^exponent for a positive base, within about 1e-15 of it. std::pow has a table of its own, 4 kB of the download.
#pragma once

#include <cmath>

namespace transformer {

inline double power(double base, double exponent) { return std::exp(exponent * std::log(base)); }

}  // namespace transformer
