#include "weights/weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/magnitude.h"
#include "weights/initial.h"

namespace transformer {

namespace {

void require_finite(const std::string& name, float largest) {
  if (std::isfinite(largest)) return;
  fail(ErrorCode::kBadCheckpoint, "the tensor '", name, "' holds ", std::isnan(largest) ? "NaN" : "an infinite number");
}

}  // namespace

void Weights::require_room(double parameters) const {
  if (is_outline()) return;
  const double bytes = parameters * bytes_per_number(dtype_, holds_halves_);
  if (bytes <= static_cast<double>(SIZE_MAX)) return;
  fail(ErrorCode::kOutOfMemory, "a model of about ", std::llround(parameters / 1e6),
       " million parameters does not fit into the engine's memory of ", SIZE_MAX >> 30, " GB");
}

Weights Weights::random(std::uint64_t seed, Dtype dtype) {
  Weights weights(dtype);
  weights.seed_ = seed;
  return weights;
}

Weights Weights::outline() {
  Weights weights;
  weights.outline_.emplace();
  return weights;
}

void Weights::add(const std::string& name, const Shape& shape, const MatrixKind& kind) {
  require(!has(name), "the tensor '", name, "' exists already");
  element_count(shape);  // throws for an impossible shape
  if (outline_) {
    outline_->emplace(name, shape);
    return;
  }
  holds_halves_ |= kind.half.has_value();
  if (shape.size() == 2 && kind.purpose != MatrixPurpose::kTable) {
    tensors_.emplace(name, StoredMatrix{make_matrix(dtype_, kind, shape[1], shape[0]), kind.purpose});
  } else {
    tensors_.emplace(name, Tensor(shape));
  }
}

Shape Weights::shape_of(const Stored& stored) {
  if (const Tensor* tensor = std::get_if<Tensor>(&stored)) return tensor->shape();
  const Matrix& matrix = *std::get<StoredMatrix>(stored).matrix;
  return {matrix.cols(), matrix.depth()};
}

void Weights::store(const std::string& name, std::size_t first, std::span<const float> elements) {
  const auto found = tensors_.find(name);
  require(found != tensors_.end(), "there is no tensor '", name, "'");
  const std::size_t size = element_count(shape_of(found->second));
  require(first <= size && elements.size() <= size - first, elements.size(), " numbers at element ", first,
          " do not fit into the tensor '", name, "' of ", size, " elements");
  if (Tensor* tensor = std::get_if<Tensor>(&found->second)) {
    std::copy(elements.begin(), elements.end(), tensor->data() + first);
  } else {
    std::get<StoredMatrix>(found->second).matrix->store_transposed(first, elements);
  }
}

Matrix* Weights::keep_runs(const std::string& name, HalfType scales) {
  const auto found = tensors_.find(name);
  StoredMatrix* stored = found == tensors_.end() ? nullptr : std::get_if<StoredMatrix>(&found->second);
  return stored && stored->matrix->keep_runs(scales) ? stored->matrix.get() : nullptr;
}

void Weights::fix_scales(const std::string& name, const FixedScales& scales) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return;
  if (StoredMatrix* stored = std::get_if<StoredMatrix>(&found->second)) stored->matrix->fix_scales(scales);
}

const Tensor& Weights::get(const std::string& name) const {
  const auto found = tensors_.find(name);
  require(found != tensors_.end(), "there is no tensor '", name, "'");
  const Tensor* tensor = std::get_if<Tensor>(&found->second);
  require(tensor != nullptr, "the tensor '", name, "' is a matrix, so it is packed and cannot be read");
  return *tensor;
}

void Weights::rename(const std::string& from, const std::string& to) {
  require(has(from), "there is no tensor '", from, "'");
  require(!has(to), "the tensor '", to, "' exists already");
  auto node = tensors_.extract(from);
  node.key() = to;
  tensors_.insert(std::move(node));
}

void Weights::refuse(std::string problem) {
  // So many that the config is another model's, and may ask for any number of layers.
  constexpr std::size_t kMost = 100;
  if (!outline_ || problems_.size() >= kMost) fail(ErrorCode::kBadCheckpoint, problem);
  problems_.push_back(std::move(problem));
}

void Weights::require_shape(const std::string& name, const Shape& expected) {
  if (!has(name)) return refuse(concat("the tensor '", name, "' of shape ", to_string(expected), " is missing"));
  const Shape actual = outline_ ? outline_->at(name) : shape_of(tensors_.at(name));
  if (actual == expected) return;
  refuse(concat("the tensor '", name, "' has the shape ", to_string(actual), ", expected ", to_string(expected)));
}

Weights::Stored Weights::take_stored(const std::string& name, const Shape& expected) {
  if (seed_ && !has(name)) {
    parameters_ += element_count(expected);
    return initial_tensor(*seed_, name, expected);
  }
  require_shape(name, expected);
  const auto found = tensors_.find(name);
  const Tensor* tensor = std::get_if<Tensor>(&found->second);
  require_finite(name, tensor ? largest_magnitude({tensor->data(), tensor->size()})
                              : std::get<StoredMatrix>(found->second).matrix->largest());
  Stored stored = std::move(found->second);
  tensors_.erase(found);
  parameters_ += element_count(expected);
  return stored;
}

Tensor Weights::take(const std::string& name, const Shape& expected) {
  if (outline_) {
    require_shape(name, expected);
    outline_->erase(name);
    return Tensor::zeros(expected);
  }
  Stored stored = take_stored(name, expected);
  Tensor* tensor = std::get_if<Tensor>(&stored);
  if (!tensor) fail(ErrorCode::kInternal, "the matrix '", name, "' was not declared as a table");
  bytes_ += tensor->size() * sizeof(float);
  return std::move(*tensor);
}

std::unique_ptr<Matrix> Weights::take_matrix(const std::string& name, int rows, int cols, MatrixPurpose purpose) {
  if (outline_) {
    require_shape(name, {rows, cols});
    outline_->erase(name);
    return make_outline(cols, rows);
  }
  const bool is_declared = has(name);
  Stored stored = take_stored(name, {rows, cols});
  StoredMatrix* found = std::get_if<StoredMatrix>(&stored);
  if (is_declared && (!found || found->purpose != purpose))
    fail(ErrorCode::kInternal, "the matrix '", name, "' was not declared for what it is used for");
  std::unique_ptr<Matrix> matrix = found ? std::move(found->matrix) : make_matrix(dtype_, {purpose}, cols, rows);
  if (const Tensor* tensor = std::get_if<Tensor>(&stored)) {
    matrix->store_transposed(0, {tensor->data(), tensor->size()});
  }
  bytes_ += matrix->bytes();
  return matrix;
}

std::vector<std::string> Weights::names() const {
  std::vector<std::string> names;
  for (const auto& entry : tensors_) names.push_back(entry.first);
  if (outline_) {
    for (const auto& entry : *outline_) names.push_back(entry.first);
  }
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
