#include "weights/loader.h"

#include <algorithm>

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

// The greatest element that a view reads.
std::size_t last_element(const StridedView& layout) {
  std::size_t last = layout.offset;
  for (std::size_t axis = 0; axis < layout.dims.size(); ++axis) {
    require(layout.strides[axis] >= 0, "the strides of a view must not be negative, got ", layout.strides[axis]);
    const std::size_t steps = layout.dims[axis] > 0 ? layout.dims[axis] - 1 : 0;
    last += steps * layout.strides[axis];
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
  pending_[name] = {element_count(shape), 0, type, {}};
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
  Pending& tensor = pending(name);
  const std::size_t count = bytes.size() / bytes_of(tensor.type);
  require(bytes.size() % bytes_of(tensor.type) == 0 && first <= tensor.size && count <= tensor.size - first,
          bytes.size(), " bytes at element ", first, " do not fit into the tensor '", name, "' of ", tensor.size,
          " elements");
  require(tensor.type != StoredType::kI8 || !tensor.scales.values.empty(), "the scales of the tensor '", name,
          "' must be set before its numbers are written");
  std::vector<float> floats(std::min(count, kPiece));
  for (std::size_t done = 0; done < count; done += floats.size()) {
    floats.resize(std::min(floats.size(), count - done));
    const std::size_t size = bytes_of(tensor.type);
    convert_piece(tensor, first + done, bytes.subspan(done * size, floats.size() * size), floats);
    weights_.store(name, first + done, floats);
  }
  tensor.written += count;
}

void WeightsLoader::convert_piece(const Pending& tensor, std::size_t first, std::span<const std::uint8_t> bytes,
                                  std::span<float> floats) {
  if (tensor.type == StoredType::kI8) return dequantize(bytes, first, tensor.scales, floats);
  to_floats(bytes, tensor.type, floats);
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
