// Weights on their way from a file into the engine: declared by name and shape, then written piece by piece as the file
// is read.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/names.h"
#include "weights/weights.h"

namespace transformer {

// The number formats of files, little-endian, under safetensors' names.
enum class StoredType { kF32, kF16, kBf16, kF64, kI8 };

constexpr auto enum_names(StoredType) {
  return std::to_array<Named<StoredType>>({{"F32", StoredType::kF32},
                                           {"F16", StoredType::kF16},
                                           {"BF16", StoredType::kBf16},
                                           {"F64", StoredType::kF64},
                                           {"I8", StoredType::kI8}});
}

std::size_t bytes_of(StoredType type);  // of one number

// What turns integers into numbers: element i of a tensor is q * values[i / run % values.size()].
struct Scales {
  std::vector<float> values;
  std::size_t run = 1;
};

// A tensor made of elements of another: those at offset + i0 * strides[0] + i1 * strides[1] + ..., for i below dims, in
// that order. So a matrix is transposed, or the queries are picked out of one that interleaves queries, keys and
// values.
struct StridedView {
  std::vector<int> dims;
  std::vector<int> strides;
  int offset = 0;
};

class WeightsLoader {
 public:
  explicit WeightsLoader(Weights weights) : weights_(std::move(weights)) {}

  // Reserves memory; a matrix is packed, and quantised where it is kept in 8 bits, as it is written. A tensor of kI8
  // needs its scales before it is written.
  void declare(const std::string& name, const Shape& shape, StoredType type);
  void scale(const std::string& name, Scales scales);

  // The next numbers of a tensor, from element `first` on; whole elements. invalid_argument where they do not fit.
  void write(const std::string& name, std::size_t first, std::span<const std::uint8_t> bytes);

  // Makes the tensor `name` of `shape` from elements of `from`, which has been written and is no matrix.
  void view(const std::string& name, const Shape& shape, const std::string& from, const StridedView& layout);
  // Gives a tensor that has been written another name.
  void rename(const std::string& from, const std::string& to);
  // Lets go of a tensor that was only there to be viewed.
  void drop(const std::string& name);

  std::vector<std::string> names() const { return weights_.names(); }  // declared and not taken by a layer yet

  // The weights; bad_checkpoint where a tensor was not written to its end.
  Weights& complete();

 private:
  struct Pending {
    std::size_t size;
    std::size_t written;
    StoredType type;
    Scales scales;
  };

  Pending& pending(const std::string& name);
  void require_written(const std::string& name) const;

  Weights weights_;
  std::map<std::string, Pending> pending_;
};

}  // namespace transformer
