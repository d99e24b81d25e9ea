#include "weights/loader.h"

#include <algorithm>
#include <cstdint>

#include "weights/block_types.h"

namespace transformer {

namespace {

// Tensors are converted, and views gathered, in pieces of this many elements, which stay in the first-level cache: a
// copy of all that is written at once took as long as everything else.
constexpr std::size_t kPiece = 4096;

// Elements first, first + 1, ... of a quantised tensor as float32.
void dequantize(std::span<const std::uint8_t> bytes, std::size_t first, const Scales& scales, std::span<float> floats) {
  std::size_t at = first / scales.run % scales.values.size();
  std::size_t left = scales.run - first % scales.run;
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = static_cast<float>(static_cast<std::int8_t>(bytes[i])) * scales.values[at];
    if (--left > 0) continue;
    left = scales.run;
    if (++at == scales.values.size()) at = 0;
  }
}

// Blocks of Q4_0 in a matrix that keeps their integers.
void store_runs(Matrix& matrix, std::size_t first, std::span<const std::uint8_t> bytes) {
  const std::size_t runs = matrix.depth() / kRunNumbers, size = block_of(StoredType::kQ4_0).bytes;
  for (std::size_t run = first / kRunNumbers; !bytes.empty(); ++run, bytes = bytes.subspan(size)) {
    matrix.store_run(static_cast<int>(run / runs), static_cast<int>(run % runs), q4_0_run(bytes.data()));
  }
}

// The greatest element that a view reads.
// Not beyond 2^62: in 32 bits a product of two ints would wrap.
std::uint64_t last_element(const StridedView& layout) {
  std::uint64_t last = layout.offset;
  for (std::size_t axis = 0; axis < layout.dims.size(); ++axis) {
    require(layout.strides[axis] >= 0, "the strides of a view must not be negative, got ", layout.strides[axis]);
    const std::uint64_t steps = layout.dims[axis] > 0 ? layout.dims[axis] - 1 : 0;
    last = std::min(last + steps * layout.strides[axis], std::uint64_t{1} << 62);
  }
  return last;
}

// Iterates over the elements of a view in its order. Counts like an odometer: a division per element doubled the time
// to load a transposed matrix.
class ViewWalk {
 public:
  explicit ViewWalk(const StridedView& layout) : layout_(layout), index_(layout.dims.size()), at_(layout.offset) {}

  std::size_t element() const { return at_; }

  void next() {
    for (std::size_t axis = index_.size(); axis > 0; --axis) {
      const std::size_t stride = layout_.strides[axis - 1];
      at_ += stride;
      if (++index_[axis - 1] < layout_.dims[axis - 1]) return;
      at_ -= layout_.dims[axis - 1] * stride;
      index_[axis - 1] = 0;
    }
  }

 private:
  const StridedView& layout_;
  std::vector<int> index_;
  std::size_t at_;
};

}  // namespace

WeightsLoader::Pending& WeightsLoader::pending(const std::string& name) {
  const auto found = pending_.find(name);
  require(found != pending_.end(), "the tensor '", name, "' was not declared");
  return found->second;
}

void WeightsLoader::declare(const std::string& name, const Shape& shape, StoredType type, MatrixPurpose purpose) {
  weights_.add(name, shape, {purpose, half_type(type)});
  if (weights_.is_outline()) return;
  pending_[name] = {element_count(shape), 0, type};
}

void WeightsLoader::add(const std::string& name, double number) { pending(name).added = static_cast<float>(number); }

void WeightsLoader::pair_rows(const std::string& name, int head_rows, int row_numbers) {
  Pending& tensor = pending(name);
  const std::size_t row = std::max(row_numbers, 0), head = row * std::max(head_rows, 0);
  require(head > 0 && head_rows % 2 == 0 && tensor.size % head == 0 && row % block_of(tensor.type).numbers == 0,
          "the tensor '", name, "' has no heads of ", head_rows, " rows in pairs");
  tensor.row = row;
  tensor.head_rows = head_rows;
}

void WeightsLoader::scale(const std::string& name, Scales scales) {
  Pending& tensor = pending(name);
  require(tensor.type == StoredType::kI8, "the tensor '", name, "' is not quantised, so it takes no scales");
  require(scales.run >= 1 && !scales.values.empty(), "the scales of the tensor '", name, "' are missing");
  tensor.scales = std::move(scales);
}

void WeightsLoader::fix_scales(const std::string& name, const FixedScales& scales) {
  require(scales.weights > 0 && scales.activations >= 0, "the scales of the tensor '", name, "' must be positive");
  scale(name, {{1.0f / scales.weights}});
  weights_.fix_scales(name, scales);
}

void WeightsLoader::write(const std::string& name, std::size_t first, std::span<const std::uint8_t> bytes) {
  const auto part = held_.find(name);
  if (part != held_.end()) {
    auto& [whole, written] = part->second;
    require(first == written && bytes.size() <= whole.size() - written, bytes.size(), " bytes at byte ", first,
            " do not fit into the part '", name, "' of ", whole.size(), " bytes");
    std::copy(bytes.begin(), bytes.end(), whole.begin() + static_cast<std::ptrdiff_t>(first));
    written += bytes.size();
    return;
  }
  Pending& tensor = pending(name);
  const StoredBlock block = block_of(tensor.type);
  const std::size_t count = bytes.size() / block.bytes * block.numbers;
  require(bytes.size() % block.bytes == 0 && first % block.numbers == 0 && first <= tensor.size &&
              count <= tensor.size - first,
          bytes.size(), " bytes at element ", first, " do not fit into the tensor '", name, "' of ", tensor.size,
          " elements");
  require(tensor.type != StoredType::kI8 || !tensor.scales.values.empty(), "the scales of the tensor '", name,
          "' must be set before its numbers are written");
  if (tensor.head_rows > 0) {
    store_paired(name, tensor, first, bytes);
  } else {
    store(name, tensor, first, bytes);
  }
  tensor.written += count;
}

void WeightsLoader::store(const std::string& name, Pending& tensor, std::size_t first,
                          std::span<const std::uint8_t> bytes) {
  if (tensor.type == StoredType::kQ4_0 && tensor.added == 0.0f) {
    if (Matrix* matrix = weights_.keep_runs(name, HalfType::kF16)) return store_runs(*matrix, first, bytes);
  }
  const StoredBlock block = block_of(tensor.type);
  const std::size_t count = bytes.size() / block.bytes * block.numbers;
  std::vector<float> floats(std::min(count, kPiece));
  for (std::size_t done = 0; done < count; done += floats.size()) {
    floats.resize(std::min(floats.size(), count - done));
    const auto piece = bytes.subspan(bytes_of(tensor.type, done), bytes_of(tensor.type, floats.size()));
    convert_piece(tensor, first + done, piece, floats);
    if (tensor.added != 0.0f) {
      for (float& number : floats) number += tensor.added;
    }
    weights_.store(name, first + done, floats);
  }
}

void WeightsLoader::store_paired(const std::string& name, Pending& tensor, std::size_t first,
                                 std::span<const std::uint8_t> bytes) {
  const std::size_t row = bytes_of(tensor.type, tensor.row), whole = row * tensor.head_rows;
  const std::size_t numbers = tensor.row * tensor.head_rows;
  require(first == tensor.written, "the rows of the tensor '", name, "' must be written in order");
  std::size_t begin = first / numbers * numbers;  // of the head
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), whole - tensor.head.size()));
    tensor.head.insert(tensor.head.end(), piece.begin(), piece.end());
    bytes = bytes.subspan(piece.size());
    if (tensor.head.size() < whole) return;
    for (int i = 0; i < tensor.head_rows; ++i) {
      const int half = tensor.head_rows / 2, from = i < half ? 2 * i : 2 * (i - half) + 1;
      store(name, tensor, begin + i * tensor.row, std::span(tensor.head).subspan(from * row, row));
    }
    tensor.head.clear();
    begin += numbers;
  }
}

void WeightsLoader::convert_piece(const Pending& tensor, std::size_t first, std::span<const std::uint8_t> bytes,
                                  std::span<float> floats) {
  if (tensor.type == StoredType::kI8) return dequantize(bytes, first, tensor.scales, floats);
  to_floats(bytes, tensor.type, floats);
}

void WeightsLoader::hold(const std::string& name, double bytes) {
  require(bytes >= 0 && bytes <= static_cast<double>(SIZE_MAX / 2) && !held_.contains(name), "the part '", name,
          "' cannot be held");
  held_[name] = {std::vector<std::uint8_t>(static_cast<std::size_t>(bytes))};
}

std::span<const std::uint8_t> WeightsLoader::held(const std::string& name) const {
  if (name.empty()) return {};
  const auto found = held_.find(name);
  require(found != held_.end() && found->second.written == found->second.bytes.size(), "the part '", name,
          "' is not there");
  return found->second.bytes;
}

void WeightsLoader::unpack(const std::string& name, const Shape& shape, const PackedLayout& layout, int first_row,
                           MatrixPurpose purpose) {
  const PackedWords words(
      layout, {held(layout.integers), held(layout.scales), held(layout.zeros), held(layout.order), held(layout.shape)});
  const std::size_t count = element_count(shape), cols = words.cols(), rows = count / cols;
  require(count % cols == 0 && first_row >= 0 && first_row <= words.rows() &&
              rows <= std::size_t{1} * (words.rows() - first_row),
          "the tensor '", name, "' of shape ", to_string(shape), " is not of rows of '", layout.integers, "'");
  weights_.add(name, shape, {purpose, std::nullopt});
  const bool in_rows = shape.size() == 2 && shape[1] == words.cols() && words.has_nibble_groups();
  Matrix* matrix = in_rows ? weights_.keep_runs(name, *half_type(layout.scale_type)) : nullptr;
  std::vector<float> row(cols);
  for (std::size_t i = 0; i < rows; ++i) {
    const int from = first_row + static_cast<int>(i);
    if (matrix) {
      for (int run = 0; run < words.cols() / kRunNumbers; ++run) {
        matrix->store_run(static_cast<int>(i), run, words.nibble_group(from, run));
      }
    } else {
      words.copy_row(from, row.data());
      weights_.store(name, i * cols, row);
    }
  }
}

void WeightsLoader::view(const std::string& name, const Shape& shape, const std::string& from,
                         const StridedView& layout, MatrixPurpose purpose) {
  const std::size_t count = element_count(layout.dims);
  require(layout.dims.size() == layout.strides.size() && count == element_count(shape) && layout.offset >= 0,
          "a view of shape ", to_string(layout.dims), " does not fit the tensor '", name, "' of shape ",
          to_string(shape));
  require_written(from);
  const Tensor& source = weights_.get(from);
  require(count == 0 || last_element(layout) < source.size(), "the view for the tensor '", name,
          "' reads beyond the end of the tensor '", from, "'");

  const auto declared = pending_.find(from);
  const auto half = declared == pending_.end() ? std::nullopt : half_type(declared->second.type);
  weights_.add(name, shape, {purpose, half});
  ViewWalk walk(layout);
  std::vector<float> gathered(std::min(count, kPiece));
  for (std::size_t first = 0; first < count; first += gathered.size()) {
    gathered.resize(std::min(gathered.size(), count - first));
    for (float& element : gathered) {
      element = source.data()[walk.element()];
      walk.next();
    }
    weights_.store(name, first, gathered);
  }
}

void WeightsLoader::rename(const std::string& from, const std::string& to) {
  require_written(from);
  weights_.rename(from, to);
  pending_.erase(from);
}

void WeightsLoader::drop(const std::string& name) {
  if (held_.erase(name) > 0) return;
  pending_.erase(name);
  weights_.remove(name);
}

void WeightsLoader::require_written(const std::string& name) const {
  const auto found = pending_.find(name);
  if (found == pending_.end() || found->second.written >= found->second.size) return;
  fail(ErrorCode::kBadCheckpoint, "the tensor '", name, "' ends after ", found->second.written, " of ",
       found->second.size, " elements");
}

Weights& WeightsLoader::complete() {
  for (const auto& entry : pending_) require_written(entry.first);
  return weights_;
}

}  // namespace transformer
