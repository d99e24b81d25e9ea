#include "weights_input.h"

#include <bit>
#include <cstring>

#include "kernels/gemm_int8.h"

namespace transformer::bindings {

namespace {

constexpr std::size_t kPiece = 4096;  // elements of a view gathered at a time

std::size_t element_bytes(const std::string& dtype) {
  if (dtype == "F32") return 4;
  if (dtype == "F16" || dtype == "BF16") return 2;
  if (dtype == "F64") return 8;
  if (dtype == "I8") return 1;
  fail(ErrorCode::kUnsupported, "weights of the type ", dtype, " cannot be read; F32, F16, BF16, F64 and I8 can");
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1fu;
  const std::uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

template <class Stored, class Convert>
void convert(const std::vector<std::uint8_t>& bytes, std::vector<float>& to, const Convert& convert_one) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    to[i] = convert_one(stored);
  }
}

void copy_bytes(const val& bytes, std::size_t count, void* to) {
  val(emscripten::typed_memory_view(count, static_cast<std::uint8_t*>(to))).call<void>("set", bytes);
}

// Numbers of any type but I8, which needs its scales.
std::vector<float> floats_from_js(const val& bytes, std::size_t count, const std::string& dtype) {
  std::vector<float> floats(count);
  if (dtype == "F32") {
    copy_bytes(bytes, count * sizeof(float), floats.data());
    return floats;
  }
  std::vector<std::uint8_t> raw(count * element_bytes(dtype));
  copy_bytes(bytes, raw.size(), raw.data());
  if (dtype == "F16") convert<std::uint16_t>(raw, floats, from_f16);
  if (dtype == "BF16") convert<std::uint16_t>(raw, floats, from_bf16);
  if (dtype == "F64") convert<double>(raw, floats, [](double x) { return static_cast<float>(x); });
  return floats;
}

// The elements first, first + 1, ... of a tensor of integers, as Scales says.
std::vector<float> dequantized_from_js(const val& bytes, std::size_t first, std::size_t count, const Scales& scales) {
  std::vector<std::int8_t> integers(count);
  copy_bytes(bytes, count, integers.data());
  std::vector<float> floats(count);
  std::size_t at = first / scales.run % scales.values.size();
  std::size_t left = scales.run - first % scales.run;
  for (std::size_t i = 0; i < count; ++i) {
    floats[i] = static_cast<float>(integers[i]) * scales.values[at];
    if (--left > 0) continue;
    left = scales.run;
    if (++at == scales.values.size()) at = 0;
  }
  return floats;
}

}  // namespace

std::optional<DotGroup> matrix_group(const std::string& dtype) {
  require(dtype == "f32" || dtype == "int8", "dtype must be 'f32' or 'int8', got '", dtype, "'");
  return dtype == "int8" ? std::optional(int8_dot_group()) : std::nullopt;
}

void WeightsInput::declare(const std::string& name, const val& shape, const std::string& dtype) {
  element_bytes(dtype);
  const Shape axes = emscripten::vecFromJSArray<int>(shape);
  weights_.add(name, axes);
  pending_[name] = {element_count(axes), 0, dtype, {}};
}

void WeightsInput::scale(const std::string& name, const val& values, double run) {
  const auto found = pending_.find(name);
  require(found != pending_.end() && found->second.dtype == "I8", "the tensor '", name, "' has no use for scales");
  std::vector<float> floats = emscripten::convertJSArrayToNumberVector<float>(values);
  require(run >= 1 && !floats.empty(), "the scales of '", name, "' are missing");
  found->second.scales = {std::move(floats), static_cast<std::size_t>(run)};
}

void WeightsInput::write(const std::string& name, double offset, const val& bytes) {
  const auto found = pending_.find(name);
  require(found != pending_.end(), "the tensor '", name, "' was not declared");
  Pending& tensor = found->second;
  const std::size_t size = element_bytes(tensor.dtype);
  const auto length = bytes["length"].as<std::size_t>();
  const auto first = static_cast<std::size_t>(offset);
  const std::size_t count = length / size;
  require(offset >= 0 && length % size == 0 && first <= tensor.size && count <= tensor.size - first, "a piece of ",
          length, " bytes at element ", offset, " does not fit the tensor '", name, "' of ", tensor.size, " elements");
  const bool is_quantized = tensor.dtype == "I8";
  require(!is_quantized || !tensor.scales.values.empty(), "the scales of '", name, "' must come before its numbers");
  weights_.store(name, first,
                 is_quantized ? dequantized_from_js(bytes, first, count, tensor.scales)
                              : floats_from_js(bytes, count, tensor.dtype));
  tensor.written += count;
}

void WeightsInput::view(const std::string& name, const val& shape_js, const std::string& from, const val& layout_js) {
  const Options layout(layout_js);
  const Shape dims = emscripten::vecFromJSArray<int>(layout.raw("dims"));
  const std::vector<int> strides = emscripten::vecFromJSArray<int>(layout.raw("strides"));
  const Shape shape = emscripten::vecFromJSArray<int>(shape_js);
  const std::size_t offset = static_cast<std::size_t>(layout.integer("offset", 0));
  const std::size_t count = element_count(dims);
  require(dims.size() == strides.size() && count == element_count(shape), "a view of ", to_string(dims),
          " cannot be the tensor '", name, "' of shape ", to_string(shape));
  require_written(from);
  const Tensor& source = weights_.get(from);
  std::size_t last = offset;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    require(strides[axis] >= 0, "a view cannot run backwards");
    if (dims[axis] > 0) last += static_cast<std::size_t>(dims[axis] - 1) * static_cast<std::size_t>(strides[axis]);
  }
  require(count == 0 || last < source.size(), "a view for the tensor '", name, "' reaches beyond '", from, "'");

  weights_.add(name, shape);
  std::vector<float> gathered;  // a piece at a time, so that the tensor does not exist a third time
  std::vector<int> index(dims.size(), 0);
  std::size_t at = offset;
  for (std::size_t i = 0; i < count; ++i) {
    gathered.push_back(source.data()[at]);
    if (gathered.size() == kPiece || i + 1 == count) {
      weights_.store(name, i + 1 - gathered.size(), gathered);
      gathered.clear();
    }
    for (std::size_t axis = dims.size(); axis-- > 0;) {  // counts up like an odometer
      at += static_cast<std::size_t>(strides[axis]);
      if (++index[axis] < dims[axis]) break;
      at -= static_cast<std::size_t>(dims[axis]) * static_cast<std::size_t>(strides[axis]);
      index[axis] = 0;
    }
  }
}

void WeightsInput::rename(const std::string& from, const std::string& to) {
  require_written(from);
  weights_.rename(from, to);
  pending_.erase(from);
}

void WeightsInput::drop(const std::string& name) {
  pending_.erase(name);
  weights_.remove(name);
}

val WeightsInput::names() const {
  val array = val::array();
  for (const std::string& name : weights_.names()) array.call<void>("push", name);
  return array;
}

void WeightsInput::require_written(const std::string& name) const {
  const auto found = pending_.find(name);
  if (found == pending_.end() || found->second.written >= found->second.size) return;
  fail(ErrorCode::kBadCheckpoint, "the tensor '", name, "' ends after ", found->second.written, " of ",
       found->second.size, " elements");
}

Weights& WeightsInput::complete() {
  for (const auto& entry : pending_) require_written(entry.first);
  return weights_;
}

}  // namespace transformer::bindings
