// Named tensors between a checkpoint and the layers, and the nested scopes in which a layer finds its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/tensor.h"
#include "matrices/format.h"
#include "weights/last_name.h"

namespace transformer {

// Owns tensors by name until layers take them. A matrix is packed while it is stored, so that no second copy exists.
class Weights {
 public:
  // dtype: the format of the matrices.
  explicit Weights(Dtype dtype = Dtype::kF32) : dtype_(dtype) {}

  // Weights whose take() initialises a missing tensor: matrices Xavier-uniform (Glorot and Bengio 2010, eq. 16), norm
  // weights 1, biases 0. The same seed and name give the same numbers on every machine.
  static Weights random(std::uint64_t seed, Dtype dtype = Dtype::kF32);

  // Weights without numbers, of which only names and shapes are added: a model that is built from them cannot be run,
  // but shows which tensors it needs. What is missing or has another shape is then noted in place of an error.
  static Weights outline();
  bool is_outline() const { return outline_.has_value(); }
  const std::vector<std::string>& problems() const { return problems_; }

  // Adds an uninitialised tensor, to be filled by store(). With two axes it is a matrix of that kind.
  // invalid_argument if the name exists.
  void add(const std::string& name, const Shape& shape, const MatrixKind& kind = {});

  // Stores the elements first, first + 1, ... of a tensor, in row-major order; its pieces come in order.
  // invalid_argument beyond its end.
  void store(const std::string& name, std::size_t first, std::span<const float> elements);

  // The matrix that keeps runs of 4-bit integers with such scales as they are, if the tensor is one: to be filled with
  // store_run() in place of store(). Null for any other tensor.
  Matrix* keep_runs(const std::string& name, HalfType scales);

  // Of a matrix, before it is stored.
  void fix_scales(const std::string& name, const FixedScales& scales);

  // out_of_memory if no memory can hold this many parameters: before it is filled, which takes long.
  void require_room(double parameters) const;

  bool has(const std::string& name) const { return outline_ ? outline_->contains(name) : tensors_.contains(name); }

  // invalid_argument for a tensor that is missing, or is a matrix but no table, which is packed.
  const Tensor& get(const std::string& name) const;
  void remove(const std::string& name) { tensors_.erase(name); }
  // invalid_argument for a tensor that is missing, or a new name that exists.
  void rename(const std::string& from, const std::string& to);

  // Moves a tensor out. bad_checkpoint for one that is missing, has another shape, or holds NaN or infinity; the
  // message gives its name, and the expected and actual shapes. internal for a matrix that was not added as a table.
  Tensor take(const std::string& name, const Shape& expected);

  // The same for a matrix [rows, cols] that is a factor or an embedding. internal if it was added for something else.
  std::unique_ptr<Matrix> take_matrix(const std::string& name, int rows, int cols,
                                      MatrixPurpose purpose = MatrixPurpose::kFactor);

  std::vector<std::string> names() const;                       // of the tensors not taken yet
  std::size_t parameters_taken() const { return parameters_; }  // elements of the tensors taken
  std::size_t bytes_taken() const { return bytes_; }            // their memory

 private:
  struct StoredMatrix {
    std::unique_ptr<Matrix> matrix;
    MatrixPurpose purpose;
  };
  using Stored = std::variant<Tensor, StoredMatrix>;

  static Shape shape_of(const Stored& stored);
  // bad_checkpoint unless there is a tensor of that shape; of an outline a note.
  void require_shape(const std::string& name, const Shape& expected);
  void refuse(std::string problem);
  // Moves a tensor out in its stored form, or initialises it.
  Stored take_stored(const std::string& name, const Shape& expected);

  std::map<std::string, Stored> tensors_;
  std::optional<std::map<std::string, Shape>> outline_;
  std::vector<std::string> problems_;
  std::optional<std::uint64_t> seed_;
  Dtype dtype_;
  bool holds_halves_ = false;
  std::size_t parameters_ = 0;
  std::size_t bytes_ = 0;
};

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
  std::unique_ptr<Matrix> take_matrix(std::string_view name, int rows, int cols,
                                      MatrixPurpose purpose = MatrixPurpose::kFactor) const {
    return weights_->take_matrix(full(name), rows, cols, purpose);
  }

 private:
  std::string full(std::string_view name) const;

  Weights* weights_;
  std::string prefix_;
};

}  // namespace transformer
