#include "weights/initial.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/random.h"
#include "weights/last_name.h"

namespace transformer {

namespace {

std::uint64_t hash(std::string_view name) {  // FNV-1a
  std::uint64_t h = 14695981039346656037ull;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

// "bias", or a recurrent cell's: "bias_ih_l0", "bias_hh_l0_reverse".
bool is_bias(std::string_view name) {
  const std::string_view last = last_name(name);
  return last.ends_with("bias") || last.starts_with("bias_ih_") || last.starts_with("bias_hh_");
}

}  // namespace

Tensor initial_tensor(std::uint64_t seed, const std::string& name, const Shape& shape) {
  if (is_bias(name)) return Tensor::zeros(shape);
  Tensor tensor(shape);
  if (shape.size() == 1) {
    std::fill_n(tensor.data(), tensor.size(), 1.0f);
    return tensor;
  }
  Random random(seed ^ hash(name));
  const ConstView matrix = tensor.matrix();
  const double bound = std::sqrt(6.0 / (matrix.rows + matrix.cols));
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    tensor.data()[i] = static_cast<float>((2.0 * random.uniform() - 1.0) * bound);
  }
  return tensor;
}

}  // namespace transformer
