#include "weights/quantization.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace transformer {

namespace {

void add_errors(const float* weights, const float* quantized, int count, QuantizationError& error) {
  for (int i = 0; i < count; ++i) {
    const double weight = weights[i], difference = weight - quantized[i];
    error.largest = std::max(error.largest, std::abs(difference));
    error.squares += difference * difference;
    error.of_squares += weight * weight;
  }
}

}  // namespace

QuantizedRowsOfWeights quantize(std::span<const std::uint8_t> bytes, StoredType type, int columns, Dtype dtype,
                                MatrixPurpose purpose) {
  const std::size_t row_numbers = std::max(columns, 0), row_bytes = bytes_of(type, row_numbers);
  require(row_bytes > 0 && row_numbers % block_of(type).numbers == 0 && bytes.size() % row_bytes == 0, bytes.size(),
          " bytes are not whole rows of ", columns, " numbers");
  const int rows = static_cast<int>(bytes.size() / row_bytes);
  const auto matrix = make_quantized(dtype, purpose, columns, rows);
  require(matrix != nullptr, "weights are quantised to integers, not to another type");
  Tensor weights({rows, columns});
  to_floats(bytes, type, {weights.data(), weights.size()});
  matrix->store_transposed(0, {weights.data(), weights.size()});

  QuantizedRowsOfWeights result;
  result.finite = std::isfinite(matrix->largest());
  std::vector<float> quantized(columns);
  for (int row = 0; row < rows; ++row) {
    matrix->append_row(row, result.numbers);
    matrix->copy_column(row, quantized.data());
    add_errors(weights.matrix().row(row), quantized.data(), columns, result.error);
  }
  return result;
}

}  // namespace transformer
