#include "matrices/matmul.h"

#include "base/broadcast.h"
#include "matrices/product.h"

namespace transformer {

Tensor matmul(Tensor a, Tensor b, ThreadPool& threads) {
  const Shape leading = broadcast_shapes(leading_axes(a, 2, "a", "[..., m, k]"), leading_axes(b, 2, "b", "[..., k, n]"),
                                         "the leading axes of a and b");
  require(last_axis(a) == last_axis(b, 2), "a and b cannot be multiplied: ", to_string(a.shape()), " and ",
          to_string(b.shape()));
  Tensor c(joined(leading, {last_axis(a, 2), last_axis(b)}));
  if (b.shape().size() == 2) {  // one b for all of a: one product
    multiply(a.matrix(), FloatMatrix::from_rows(b.matrix()), c.matrix(), {}, threads);
    return c;
  }
  a = broadcast_leading(std::move(a), leading, 2, "a");
  b = broadcast_leading(std::move(b), leading, 2, "b");
  const int products = static_cast<int>(element_count(leading));
  for (int i = 0; i < products; ++i) {
    multiply(matrix_at(a, i), FloatMatrix::from_rows(matrix_at(b, i)), matrix_at(c, i), {}, threads);
  }
  return c;
}

}  // namespace transformer
