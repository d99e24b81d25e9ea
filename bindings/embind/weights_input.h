// Weights on their way into the engine: declared by name and shape, then written piece by piece as a file is read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert.h"
#include "weights/weights.h"

namespace transformer::bindings {

// What makes numbers of integers: element i of a tensor is q * values[i / run % values.size()].
struct Scales {
  std::vector<float> values;
  std::size_t run = 1;
};

// How matrices of the dtype 'f32' (none) or 'int8' are kept; invalid_argument for another one.
std::optional<DotGroup> matrix_group(const std::string& dtype);

class WeightsInput {
 public:
  explicit WeightsInput(Weights weights) : weights_(std::move(weights)) {}

  // Reserves memory; a matrix is packed, and quantised where it is kept in 8 bits, as it is written. dtype of what will
  // be written: 'F32', 'F16', 'BF16', 'F64', little-endian, or 'I8', which needs its scales before it is written.
  void declare(const std::string& name, const val& shape, const std::string& dtype);

  // The scales of a tensor of dtype 'I8', as Scales describes them.
  void scale(const std::string& name, const val& values, double run);

  // Converts whole elements of that dtype and stores them from element `offset` on.
  void write(const std::string& name, double offset, const val& bytes);

  // Makes the tensor `name` of `shape` from elements of `from`, which has been written and is no matrix: those at
  // offset + i0 * strides[0] + i1 * strides[1] + ..., for i below dims, in that order. So a matrix is transposed, or
  // the queries are picked out of a matrix that holds queries, keys and values of each head in turn.
  void view(const std::string& name, const val& shape, const std::string& from, const val& layout);
  // Gives a tensor that has been written another name.
  void rename(const std::string& from, const std::string& to);
  // Lets go of a tensor that was only there to be viewed.
  void drop(const std::string& name);

  val names() const;  // declared and not taken by a layer yet

  // The weights; bad_checkpoint where a tensor was not written to its end.
  Weights& complete();

 private:
  struct Pending {
    std::size_t size;
    std::size_t written;
    std::string dtype;
    Scales scales;
  };

  void require_written(const std::string& name) const;

  Weights weights_;
  std::map<std::string, Pending> pending_;
};

}  // namespace transformer::bindings
