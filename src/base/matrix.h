// The matrix of a linear layer or the table of an embedding, in float32, 16 bits, 8 bits or 4 bits.
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "base/half_matrix.h"
#include "base/int4_matrix.h"
#include "base/packed_matrix.h"
#include "base/quantized_matrix.h"

namespace transformer {

// B [k, n]: a PackedMatrix in float32, a HalfMatrix in 16 bits, a QuantizedMatrix in 8 bits, or an Int4Matrix.
class Matrix {
 public:
  Matrix(PackedMatrix matrix) : form_(std::move(matrix)) {}
  Matrix(HalfMatrix matrix) : form_(std::move(matrix)) {}
  Matrix(QuantizedMatrix matrix) : form_(std::move(matrix)) {}
  Matrix(Int4Matrix matrix) : form_(std::move(matrix)) {}

  int depth() const {  // k
    return std::visit([](const auto& form) { return form.depth(); }, form_);
  }
  int cols() const {  // n
    return std::visit([](const auto& form) { return form.cols(); }, form_);
  }
  std::size_t bytes() const {
    return std::visit([](const auto& form) { return form.bytes(); }, form_);
  }

  // The matrix in its format; null for the other formats.
  const PackedMatrix* packed() const { return std::get_if<PackedMatrix>(&form_); }
  const HalfMatrix* half() const { return std::get_if<HalfMatrix>(&form_); }
  const QuantizedMatrix* quantized() const { return std::get_if<QuantizedMatrix>(&form_); }
  const Int4Matrix* int4() const { return std::get_if<Int4Matrix>(&form_); }

  // As in each of the formats.
  void store_transposed(std::size_t first, std::span<const float> elements) {
    std::visit([&](auto& form) { form.store_transposed(first, elements); }, form_);
  }
  void copy_column(int index, float* out) const {
    std::visit([&](const auto& form) { form.copy_column(index, out); }, form_);
  }

  Matrix select_columns(std::span<const int> columns) const {
    return std::visit([&](const auto& form) { return Matrix(form.select_columns(columns)); }, form_);
  }

 private:
  std::variant<PackedMatrix, HalfMatrix, QuantizedMatrix, Int4Matrix> form_;
};

}  // namespace transformer
