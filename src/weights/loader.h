// Loads weights from a file: each tensor is declared by name and shape, then written in pieces as the file is read.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/fields.h"
#include "weights/packed_words.h"
#include "weights/stored_type.h"
#include "weights/weights.h"

namespace transformer {

// The scales of a quantised tensor: element i is q_i * values[i / run % values.size()].
struct Scales {
  std::vector<float> values;
  std::size_t run = 1;
};

// A strided view of another tensor: its elements at offset + i0 * strides[0] + i1 * strides[1] + ..., with each i below
// its dim, in row-major order. It transposes a matrix, or selects the queries of one that interleaves queries, keys and
// values.
struct StridedView {
  std::vector<int> dims;
  std::vector<int> strides;
  int offset = 0;
};

constexpr auto fields_of(const StridedView*) {
  return std::tuple{Field{"dims", &StridedView::dims}, Field{"strides", &StridedView::strides},
                    Field{"offset", &StridedView::offset}};
}

class WeightsLoader {
 public:
  explicit WeightsLoader(Weights weights) : weights_(std::move(weights)) {}

  // Reserves the memory of a tensor; with two axes it is a matrix for that purpose. A matrix is packed while it is
  // written, and quantised if it is kept in integers. A tensor of type kI8 needs its scales before it is written.
  void declare(const std::string& name, const Shape& shape, StoredType type,
               MatrixPurpose purpose = MatrixPurpose::kFactor);
  void scale(const std::string& name, Scales scales);
  // In place of scales: of all integers of a tensor, which stay as they are if it is kept in 8 bits.
  void fix_scales(const std::string& name, const FixedScales& scales);

  // Before a tensor is written: is added to each of its numbers.
  void add(const std::string& name, double number);
  // Before a tensor is written: its rows of so many numbers are those of heads, row i of the first half of each
  // followed by row i of the second half. invalid_argument unless head_rows is even, and the heads are whole.
  void pair_rows(const std::string& name, int head_rows, int row_numbers);

  // Writes whole elements, starting at element `first`; of a tensor in blocks, whole blocks. invalid_argument for a
  // piece that does not fit.
  void write(const std::string& name, std::size_t first, std::span<const std::uint8_t> bytes);

  // Reserves memory for a part of a packed matrix, which is written byte by byte until unpack() reads it.
  void hold(const std::string& name, double bytes);
  // Makes the tensor `name` of `shape`, as declare() does, from rows of a packed matrix, from `first_row` on. Its parts
  // are held and fully written. bad_checkpoint for scales that are not finite, or groups that do not exist.
  void unpack(const std::string& name, const Shape& shape, const PackedLayout& layout, int first_row,
              MatrixPurpose purpose = MatrixPurpose::kFactor);

  // Makes the tensor `name` of `shape`, as declare() does, from a view of `from`, which is fully written and no matrix.
  void view(const std::string& name, const Shape& shape, const std::string& from, const StridedView& layout,
            MatrixPurpose purpose = MatrixPurpose::kFactor);
  // Renames a tensor that is fully written.
  void rename(const std::string& from, const std::string& to);
  // Removes a tensor that was only the source of views.
  void drop(const std::string& name);

  // From here on only names and shapes are declared; see Weights::outline().
  void outline() { weights_ = Weights::outline(); }
  std::vector<std::string> problems() const { return weights_.problems(); }

  std::vector<std::string> names() const { return weights_.names(); }  // of the tensors that no layer has taken yet

  // The weights. bad_checkpoint if a tensor is not fully written.
  Weights& complete();

 private:
  struct Pending {
    std::size_t size;
    std::size_t written;
    StoredType type;
    Scales scales = {};
    float added = 0.0f;
    std::size_t row = 0;                  // numbers of a row of such a head
    int head_rows = 0;                    // of heads whose rows are in pairs; 0: they are in order
    std::vector<std::uint8_t> head = {};  // the bytes of one that has begun
  };

  // Elements first, first + 1, ... of a tensor as float32.
  static void convert_piece(const Pending& tensor, std::size_t first, std::span<const std::uint8_t> bytes,
                            std::span<float> floats);
  void store(const std::string& name, Pending& tensor, std::size_t first, std::span<const std::uint8_t> bytes);
  void store_paired(const std::string& name, Pending& tensor, std::size_t first, std::span<const std::uint8_t> bytes);

  Pending& pending(const std::string& name);
  void require_written(const std::string& name) const;
  std::span<const std::uint8_t> held(const std::string& name) const;

  Weights weights_;
  std::map<std::string, Pending> pending_;
  std::map<std::string, HeldBytes> held_;
};

}  // namespace transformer
