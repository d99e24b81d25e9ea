// The numbers that a weight begins with where no file gives them.
#pragma once

#include <cstdint>
#include <string>

#include "base/tensor.h"

namespace transformer {

// Matrices Xavier-uniform (Glorot and Bengio 2010, eq. 16), norm weights 1, biases 0. The same seed and name give the
// same numbers on every machine.
Tensor initial_tensor(std::uint64_t seed, const std::string& name, const Shape& shape);

}  // namespace transformer
