// Named tensors on their way from a file into layers, and the deepening scope through which a layer reaches its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/matrix.h"
#include "base/tensor.h"

namespace transformer {

// Owns tensors by name until layers take them. A matrix is packed while it is stored, so it never exists twice.
class Weights {
 public:
  // group: keeps matrices in 8 bits for products in such groups, all but tables whose rows are added (positions, token
  // types, biases of attention): those are read as tensors. Without it all is float32.
  explicit Weights(std::optional<DotGroup> group = std::nullopt) : group_(group) {}

  // Where a name is missing, take() draws the tensor: Xavier-uniform matrices (Glorot and Bengio 2010, eq. 16), unit
  // norm weights, zero biases. The same seed and name give the same numbers on every machine.
  static Weights random(std::uint64_t seed, std::optional<DotGroup> group = std::nullopt);

  // Adds a tensor, not initialised, to be filled by store(). invalid_argument if the name is taken.
  void add(const std::string& name, const Shape& shape);

  // The elements first, first + 1, ... of a tensor, in row-major order; pieces of a tensor come in their order.
  // invalid_argument beyond its end.
  void store(const std::string& name, std::size_t first, std::span<const float> elements);

  bool has(const std::string& name) const { return tensors_.count(name) > 0; }

  // A tensor that is still here; invalid_argument where it is not, or is a matrix and so packed.
  const Tensor& get(const std::string& name) const;
  void remove(const std::string& name) { tensors_.erase(name); }
  // invalid_argument where there is no such tensor, or another one has the new name.
  void rename(const std::string& from, const std::string& to);

  // Moves a tensor out. missing: bad_checkpoint that names it and the shape wanted; another shape, NaN or infinity:
  // bad_checkpoint that shows expected against actual.
  Tensor take(const std::string& name, const Shape& expected);

  // The same for a matrix [rows, cols] that something is multiplied with.
  Matrix take_matrix(const std::string& name, int rows, int cols);

  std::vector<std::string> names() const;                       // of what has not been taken
  std::size_t parameters_taken() const { return parameters_; }  // numbers in all that was
  std::size_t bytes_taken() const { return bytes_; }            // memory of all that was

 private:
  using Stored = std::variant<Tensor, Matrix>;

  // Moves a tensor out as it is stored, or draws it.
  Stored take_stored(const std::string& name, const Shape& expected);

  // An empty matrix [rows, cols] in the form in which those of that name are kept.
  Matrix make_matrix(const std::string& name, int rows, int cols) const;

  std::map<std::string, Stored> tensors_;
  std::optional<std::uint64_t> seed_;
  std::optional<DotGroup> group_;
  std::size_t parameters_ = 0;
  std::size_t bytes_ = 0;
};

// A prefix of names: WeightScope(weights) / "encoder" / "layers" / 0 reaches "encoder.layers.0.*".
class WeightScope {
 public:
  explicit WeightScope(Weights& weights) : weights_(&weights) {}

  WeightScope operator/(std::string_view name) const;
  WeightScope operator/(int index) const { return *this / std::string_view(std::to_string(index)); }

  // Of the scope itself: "q_proj".
  std::string name() const { return prefix_.substr(prefix_.rfind('.') + 1); }

  bool has(std::string_view name) const { return weights_->has(full(name)); }
  Tensor take(std::string_view name, const Shape& expected) const { return weights_->take(full(name), expected); }
  Matrix take_matrix(std::string_view name, int rows, int cols) const {
    return weights_->take_matrix(full(name), rows, cols);
  }

 private:
  std::string full(std::string_view name) const;

  Weights* weights_;
  std::string prefix_;
};

}  // namespace transformer
