#include "matrices/format.h"

#include "kernels/gemm_int8.h"
#include "matrices/bergamot_matrix.h"
#include "matrices/float_matrix.h"
#include "matrices/half_matrix.h"
#include "matrices/int4_matrix.h"
#include "matrices/int8_matrix.h"
#include "matrices/outline_matrix.h"

namespace transformer {

Dtype dtype_of(Dtype dtype, MatrixPurpose purpose) {
  if (purpose == MatrixPurpose::kTable) return Dtype::kF32;
  return dtype == Dtype::kInt4 && purpose == MatrixPurpose::kEmbedding ? Dtype::kInt8 : dtype;
}

std::unique_ptr<QuantizedMatrix> make_quantized(Dtype dtype, MatrixPurpose purpose, int depth, int cols) {
  switch (dtype_of(dtype, purpose)) {
    case Dtype::kInt8: return std::make_unique<Int8Matrix>(depth, cols, int8_dot_group());
    case Dtype::kInt4: return std::make_unique<Int4Matrix>(depth, cols);
    case Dtype::kBergamot: return std::make_unique<BergamotMatrix>(depth, cols);
    default: return nullptr;
  }
}

std::unique_ptr<Matrix> make_matrix(Dtype dtype, const MatrixKind& kind, int depth, int cols) {
  if (auto quantized = make_quantized(dtype, kind.purpose, depth, cols)) return quantized;
  if (dtype == Dtype::kAuto && kind.half) return std::make_unique<HalfMatrix>(depth, cols, *kind.half);
  return std::make_unique<FloatMatrix>(depth, cols);
}

std::unique_ptr<Matrix> make_outline(int depth, int cols) { return std::make_unique<OutlineMatrix>(depth, cols); }

int activation_bits(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8: return int8_dot_group() == DotGroup::kQuads ? 7 : 16;
    case Dtype::kInt4:
    case Dtype::kBergamot: return 8;
    default: return 0;
  }
}

double bytes_per_number(Dtype dtype, bool halves) {
  switch (dtype) {
    case Dtype::kAuto: return halves ? 2 : 4;
    case Dtype::kF32: return 4;
    case Dtype::kInt8:
    case Dtype::kBergamot: return 1;
    case Dtype::kInt4: return 0.5;
  }
  return 4;
}

}  // namespace transformer
