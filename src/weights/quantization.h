// Quantises weights for a file: to the very integers and scales with which the engine computes.
#pragma once

#include "base/fields.h"
#include "matrices/format.h"
#include "weights/stored_type.h"

namespace transformer {

// The differences between weights and their quantised values.
struct QuantizationError {
  double largest = 0;
  double squares = 0;     // their sum
  double of_squares = 0;  // the sum of the squares of the weights
};

constexpr auto fields_of(const QuantizationError*) {
  return std::tuple{Field{"largest", &QuantizationError::largest}, Field{"squares", &QuantizationError::squares},
                    Field{"ofSquares", &QuantizationError::of_squares}};
}

struct QuantizedRowsOfWeights {
  QuantizedNumbers numbers;
  bool finite = true;  // whether all weights are; if not, the rest has no meaning
  QuantizationError error;
};

// Rows of w [n, columns] in the format for that dtype and purpose. invalid_argument if the dtype is not of integers, or
// the bytes are not whole rows.
QuantizedRowsOfWeights quantize(std::span<const std::uint8_t> bytes, StoredType type, int columns, Dtype dtype,
                                MatrixPurpose purpose);

}  // namespace transformer
