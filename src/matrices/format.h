// Which format a matrix is kept in: chosen here, from what it is for and what was asked for, and nowhere else.
#pragma once

#include <memory>
#include <optional>

#include "base/half.h"
#include "base/names.h"
#include "matrices/quantized_matrix.h"

namespace transformer {

// The format that users ask for. kAuto: in 16 bits if the numbers are stored so, else in float32. kBergamot: as
// kInt8 with the arithmetic of another program, for matrices whose scales are fixed.
enum class Dtype { kAuto, kF32, kInt8, kInt4, kBergamot };

constexpr auto enum_names(Dtype) {
  return std::to_array<Named<Dtype>>({{"auto", Dtype::kAuto},
                                      {"f32", Dtype::kF32},
                                      {"int8", Dtype::kInt8},
                                      {"int4", Dtype::kInt4},
                                      {"bergamot", Dtype::kBergamot}});
}

// The purpose of a matrix. kFactor: a factor of products, as in a linear layer. kEmbedding: token embeddings, which may
// also be the output projection. kTable: its rows are added (positions, token types, attention biases), so it stays
// float32.
enum class MatrixPurpose { kFactor, kEmbedding, kTable };

constexpr auto enum_names(MatrixPurpose) {
  return std::to_array<Named<MatrixPurpose>>(
      {{"factor", MatrixPurpose::kFactor}, {"embedding", MatrixPurpose::kEmbedding}, {"table", MatrixPurpose::kTable}});
}

struct MatrixKind {
  MatrixPurpose purpose = MatrixPurpose::kFactor;
  std::optional<HalfType> half = std::nullopt;  // the type of its numbers, if they have 16 bits
};

// A matrix [depth, cols] to be filled.
std::unique_ptr<Matrix> make_matrix(Dtype dtype, const MatrixKind& kind, int depth, int cols);

// The dtype in which matrices of that purpose are kept: with 4 bits, embeddings have 8.
Dtype dtype_of(Dtype dtype, MatrixPurpose purpose);

// A matrix [depth, cols] without numbers: a layer can be built with it, but not be run.
std::unique_ptr<Matrix> make_outline(int depth, int cols);

// make_matrix() for a dtype of integers; null for another.
std::unique_ptr<QuantizedMatrix> make_quantized(Dtype dtype, MatrixPurpose purpose, int depth, int cols);

// Bits of the rows in products with matrices of that dtype; 0 if they are not quantised.
int activation_bits(Dtype dtype);

// Bytes of a number in most matrices of a model; `halves`: whether it has numbers of 16 bits.
double bytes_per_number(Dtype dtype, bool halves);

}  // namespace transformer
