#include "weights/weights.h"

#include <cmath>

#include "base/random.h"

namespace transformer {

namespace {

bool ends_with(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending;
}

std::uint64_t hash(std::string_view name) {  // FNV-1a
  std::uint64_t h = 14695981039346656037ull;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

Tensor draw(std::uint64_t seed, const std::string& name, const Shape& shape) {
  if (ends_with(name, "bias")) return Tensor::zeros(shape);
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

void require_finite(const std::string& name, const Tensor& tensor) {
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(tensor.data()[i])) {
      fail(ErrorCode::kBadCheckpoint, "the tensor '", name, "' holds ",
           std::isnan(tensor.data()[i]) ? "NaN" : "an infinite number", " at element ", i);
    }
  }
}

}  // namespace

Weights Weights::random(std::uint64_t seed) {
  Weights weights;
  weights.seed_ = seed;
  return weights;
}

float* Weights::add(const std::string& name, Shape shape) {
  require(!has(name), "the tensor '", name, "' was given twice");
  return tensors_.emplace(name, Tensor(std::move(shape))).first->second.data();
}

const Tensor& Weights::get(const std::string& name) const {
  const auto found = tensors_.find(name);
  require(found != tensors_.end(), "there is no tensor '", name, "'");
  return found->second;
}

Tensor Weights::take(const std::string& name, const Shape& expected) {
  auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    if (seed_) {
      parameters_ += element_count(expected);
      return draw(*seed_, name, expected);
    }
    fail(ErrorCode::kBadCheckpoint, "the tensor '", name, "' of shape ", to_string(expected), " is missing");
  }
  const Shape& actual = found->second.shape();
  if (actual != expected) {
    fail(ErrorCode::kBadCheckpoint, "the tensor '", name, "' has the shape ", to_string(actual), ", expected ",
         to_string(expected));
  }
  require_finite(name, found->second);
  Tensor tensor = std::move(found->second);
  tensors_.erase(found);
  parameters_ += tensor.size();
  return tensor;
}

std::vector<std::string> Weights::names() const {
  std::vector<std::string> names;
  for (const auto& entry : tensors_) names.push_back(entry.first);
  return names;
}

WeightScope WeightScope::operator/(std::string_view name) const {
  WeightScope deeper = *this;
  deeper.prefix_ = full(name);
  return deeper;
}

std::string WeightScope::full(std::string_view name) const {
  return prefix_.empty() ? std::string(name) : concat(prefix_, ".", name);
}

}  // namespace transformer
