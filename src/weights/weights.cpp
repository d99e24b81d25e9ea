#include "weights/weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/magnitude.h"
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

// "bias", or a recurrent cell's: "bias_ih_l0", "bias_hh_l0_reverse".
bool is_bias(std::string_view name) {
  const std::string_view last = last_name(name);
  return ends_with(last, "bias") || last.starts_with("bias_ih_") || last.starts_with("bias_hh_");
}

Tensor draw(std::uint64_t seed, const std::string& name, const Shape& shape) {
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

Shape shape_of(const Tensor& tensor) { return tensor.shape(); }
Shape shape_of(const Matrix& matrix) { return {matrix.cols(), matrix.depth()}; }

std::span<const float> numbers_of(const Tensor& tensor) { return {tensor.data(), tensor.size()}; }
std::span<const float> numbers_of(const Matrix& matrix) {
  // In 8 bits, a number that is not finite makes its column's scale NaN or infinite.
  if (const QuantizedMatrix* quantized = matrix.quantized()) return quantized->scales();
  if (const HalfMatrix* half = matrix.half()) return {&half->largest(), 1};
  if (const Int4Matrix* int4 = matrix.int4()) return {&int4->largest(), 1};
  return {matrix.packed()->panel(0), matrix.bytes() / sizeof(float)};
}

// Tables whose rows are added, of the whole stack or of each layer: taken as tensors, not as factors of a product.
bool is_table(const std::string& name) {
  static constexpr std::string_view kTables[] = {"positions", "input_positions", "token_types", "relative_bias"};
  return std::any_of(std::begin(kTables), std::end(kTables), [&](std::string_view table) {
    return concat(".", name).find(concat(".", table, ".")) != std::string::npos;
  });
}

// A table of token embeddings, which may also be the output projection.
bool is_embedding(const std::string& name) { return ends_with(concat(".", name), ".embedding.weight"); }

Tensor unpacked(const std::string& name, const Matrix& matrix) {
  if (matrix.quantized() || matrix.int4())
    fail(ErrorCode::kInternal, "the tensor '", name, "' is a quantised matrix, which is not read back");
  Tensor tensor({matrix.cols(), matrix.depth()});
  for (int row = 0; row < matrix.cols(); ++row) matrix.copy_column(row, tensor.matrix().row(row));
  return tensor;
}

void require_finite(const std::string& name, std::span<const float> numbers) {
  const float largest = largest_magnitude(numbers);
  if (std::isfinite(largest)) return;
  fail(ErrorCode::kBadCheckpoint, "the tensor '", name, "' holds ", std::isnan(largest) ? "NaN" : "an infinite number");
}

}  // namespace

void Weights::require_room(double parameters) const {
  const double quantized = bits_ == QuantizedBits::k4 ? 0.5 : 1.0;
  const double bytes = parameters * (group_ ? quantized : holds_halves_ ? 2 : sizeof(float));
  if (bytes <= static_cast<double>(SIZE_MAX)) return;
  fail(ErrorCode::kOutOfMemory, "a model of about ", std::llround(parameters / 1e6),
       " million parameters does not fit into the engine's memory of ", SIZE_MAX >> 30, " GB");
}

Weights Weights::random(std::uint64_t seed, std::optional<DotGroup> group, QuantizedBits bits) {
  Weights weights(group, bits);
  weights.seed_ = seed;
  return weights;
}

void Weights::add(const std::string& name, const Shape& shape, std::optional<HalfType> half) {
  require(!has(name), "the tensor '", name, "' exists already");
  element_count(shape);  // throws for an impossible shape
  holds_halves_ |= half.has_value();
  if (shape.size() == 2) {
    tensors_.emplace(name, make_matrix(name, shape[0], shape[1], half));
  } else {
    tensors_.emplace(name, Tensor(shape));
  }
}

Matrix Weights::make_matrix(const std::string& name, int rows, int cols, std::optional<HalfType> half) const {
  if (is_table(name)) return PackedMatrix(cols, rows);
  if (group_ && bits_ == QuantizedBits::k4 && !is_embedding(name)) return Int4Matrix(cols, rows);
  if (group_) return QuantizedMatrix(cols, rows, *group_);
  if (half) return HalfMatrix(cols, rows, *half);
  return PackedMatrix(cols, rows);
}

void Weights::store(const std::string& name, std::size_t first, std::span<const float> elements) {
  const auto found = tensors_.find(name);
  require(found != tensors_.end(), "there is no tensor '", name, "'");
  std::visit(
      [&](auto& stored) {
        const std::size_t size = element_count(shape_of(stored));
        require(first <= size && elements.size() <= size - first, elements.size(), " numbers at element ", first,
                " do not fit into the tensor '", name, "' of ", size, " elements");
        if constexpr (std::is_same_v<std::decay_t<decltype(stored)>, Tensor>) {
          std::copy(elements.begin(), elements.end(), stored.data() + first);
        } else {
          stored.store_transposed(first, elements);
        }
      },
      found->second);
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

Weights::Stored Weights::take_stored(const std::string& name, const Shape& expected) {
  auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    if (!seed_)
      fail(ErrorCode::kBadCheckpoint, "the tensor '", name, "' of shape ", to_string(expected), " is missing");
    parameters_ += element_count(expected);
    return draw(*seed_, name, expected);
  }
  std::visit(
      [&](const auto& stored) {
        const Shape actual = shape_of(stored);
        if (actual != expected) {
          fail(ErrorCode::kBadCheckpoint, "the tensor '", name, "' has the shape ", to_string(actual), ", expected ",
               to_string(expected));
        }
        require_finite(name, numbers_of(stored));
      },
      found->second);
  Stored stored = std::move(found->second);
  tensors_.erase(found);
  parameters_ += element_count(expected);
  return stored;
}

Tensor Weights::take(const std::string& name, const Shape& expected) {
  Stored stored = take_stored(name, expected);
  Tensor taken = std::holds_alternative<Tensor>(stored) ? std::get<Tensor>(std::move(stored))
                                                        : unpacked(name, std::get<Matrix>(stored));
  bytes_ += taken.size() * sizeof(float);
  return taken;
}

Matrix Weights::take_matrix(const std::string& name, int rows, int cols) {
  Stored stored = take_stored(name, {rows, cols});
  const auto packed = [&](const Tensor& tensor) {
    Matrix matrix = make_matrix(name, rows, cols);
    matrix.store_transposed(0, {tensor.data(), tensor.size()});
    return matrix;
  };
  Matrix taken =
      std::holds_alternative<Tensor>(stored) ? packed(std::get<Tensor>(stored)) : std::get<Matrix>(std::move(stored));
  bytes_ += taken.bytes();
  return taken;
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
