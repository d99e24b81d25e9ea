// Named tensors between a checkpoint and the layers, and the nested scopes in which a layer finds its own.
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

// In which quantised matrices are kept.
enum class QuantizedBits { k4, k8 };

// Owns tensors by name until layers take them. A matrix is packed while it is stored, so that no second copy exists.
class Weights {
 public:
  // group: keeps matrices in 8 bits, grouped for that product; or, with 4 bits, only embeddings so, and all others in 4
  // bits. Tables whose rows are added (positions, token types, attention biases) stay float32, as does everything
  // without a group that is not added in 16 bits.
  explicit Weights(std::optional<DotGroup> group = std::nullopt, QuantizedBits bits = QuantizedBits::k8)
      : group_(group), bits_(bits) {}

  // Weights whose take() initialises a missing tensor: matrices Xavier-uniform (Glorot and Bengio 2010, eq. 16), norm
  // weights 1, biases 0. The same seed and name give the same numbers on every machine.
  static Weights random(std::uint64_t seed, std::optional<DotGroup> group = std::nullopt,
                        QuantizedBits bits = QuantizedBits::k8);

  // Adds an uninitialised tensor, to be filled by store(). half: its numbers are of that type, in which a matrix is
  // kept unless matrices are quantised. invalid_argument if the name exists.
  void add(const std::string& name, const Shape& shape, std::optional<HalfType> half = std::nullopt);

  // Stores the elements first, first + 1, ... of a tensor, in row-major order; its pieces come in order.
  // invalid_argument beyond its end.
  void store(const std::string& name, std::size_t first, std::span<const float> elements);

  // out_of_memory if no memory can hold so many parameters: before it is filled, which takes long.
  void require_room(double parameters) const;

  bool has(const std::string& name) const { return tensors_.count(name) > 0; }

  // invalid_argument for a tensor that is missing, or is a matrix, which is packed.
  const Tensor& get(const std::string& name) const;
  void remove(const std::string& name) { tensors_.erase(name); }
  // invalid_argument for a tensor that is missing, or a new name that exists.
  void rename(const std::string& from, const std::string& to);

  // Moves a tensor out. bad_checkpoint for one that is missing, has another shape, or holds NaN or infinity; the
  // message gives its name, and the expected and actual shapes.
  Tensor take(const std::string& name, const Shape& expected);

  // The same for a matrix [rows, cols] that is a factor of products.
  Matrix take_matrix(const std::string& name, int rows, int cols);

  std::vector<std::string> names() const;                       // of the tensors not taken yet
  std::size_t parameters_taken() const { return parameters_; }  // elements of the tensors taken
  std::size_t bytes_taken() const { return bytes_; }            // their memory

 private:
  using Stored = std::variant<Tensor, Matrix>;

  // Moves a tensor out in its stored form, or initialises it.
  Stored take_stored(const std::string& name, const Shape& expected);

  // An uninitialised matrix [rows, cols] in the format for that name.
  Matrix make_matrix(const std::string& name, int rows, int cols, std::optional<HalfType> half = std::nullopt) const;

  std::map<std::string, Stored> tensors_;
  std::optional<std::uint64_t> seed_;
  std::optional<DotGroup> group_;
  QuantizedBits bits_;
  bool holds_halves_ = false;
  std::size_t parameters_ = 0;
  std::size_t bytes_ = 0;
};

// "q_proj" of "encoder.layers.0.q_proj".
constexpr std::string_view last_name(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

// A prefix of names: WeightScope(weights) / "encoder" / "layers" / 0 reaches "encoder.layers.0.*".
class WeightScope {
 public:
  explicit WeightScope(Weights& weights) : weights_(&weights) {}

  WeightScope operator/(std::string_view name) const;
  WeightScope operator/(int index) const { return *this / std::string_view(std::to_string(index)); }

  // The last name of the scope: "q_proj".
  std::string name() const { return std::string(last_name(prefix_)); }

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
