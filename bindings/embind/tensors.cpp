#include "tensors.h"

#include <emscripten/em_js.h>

// In JavaScript, since from C++ each look at an object costs as much as all of this: a call of 4 kB takes half of the
// time. clang-format would take it apart.
// clang-format off
EM_JS_DEPS(transformer_tensors, "$Emval");
// Of { data, shape } the rank, or -1 if it is missing. The sizes are written if they are at most `room`.
EM_JS(int, transformer_shape_of, (emscripten::EM_VAL tensor, int* sizes, int room), {
  const { data, shape } = Emval.toValue(tensor) ?? {};
  if (!data || !shape) return -1;
  if (shape.length <= room) HEAP32.set(shape, sizes >>> 2);
  return shape.length;
});
// Copies a typed array, or the data of a tensor, if it has `count` numbers; returns how many it has.
EM_JS(double, transformer_copy_floats, (emscripten::EM_VAL from, float* to, double count), {
  const numbers = Emval.toValue(from).data ?? Emval.toValue(from);
  if (numbers.length === count) HEAPF32.set(numbers, to >>> 2);
  return numbers.length;
});
EM_JS(double, transformer_copy_ids, (emscripten::EM_VAL from, int* to, double count), {
  const numbers = Emval.toValue(from).data ?? Emval.toValue(from);
  if (numbers.length === count) HEAP32.set(numbers, to >>> 2);
  return numbers.length;
});
// A copy made by the module's owner, who knows where it is needed.
EM_JS(emscripten::EM_VAL, transformer_new_tensor, (const float* data, double count, const int* sizes, int rank), {
  const first = data >>> 2;
  const shape = sizes >>> 2;
  return Emval.toHandle({
    data: Module["copyNumbers"](HEAPF32.subarray(first, first + count)),
    shape: Array.from(HEAP32.subarray(shape, shape + rank)),
  });
});
// clang-format on

namespace transformer::bindings {

namespace {

bool is_missing(const val& value) { return value.isUndefined() || value.isNull(); }

Shape shape_of(const val& value, const char* name) {
  Shape shape(4);
  const int rank = transformer_shape_of(value.as_handle(), shape.data(), count_of(shape));
  require(rank >= 0, name, " is missing");
  const bool is_read = rank <= count_of(shape);
  shape.resize(rank);
  if (!is_read) transformer_shape_of(value.as_handle(), shape.data(), rank);
  return shape;
}

void require_length(double found, std::size_t count, const char* name) {
  const auto length = static_cast<std::size_t>(found);
  require(length == count, name, " has ", length, " numbers, but its shape needs ", count);
}

Tensor read_tensor(const val& value, const char* name) {
  Tensor tensor(shape_of(value, name));
  require_length(transformer_copy_floats(value.as_handle(), tensor.data(), tensor.size()), tensor.size(), name);
  return tensor;
}

val to_js(const Tensor& tensor) {
  return val::take_ownership(
      transformer_new_tensor(tensor.data(), tensor.size(), tensor.shape().data(), count_of(tensor.shape())));
}

template <class T>
val copy_of(const std::vector<T>& numbers) {
  return val::module_property("copyNumbers")(val(emscripten::typed_memory_view(numbers.size(), numbers.data())));
}

}  // namespace

JsTensor::JsTensor(const Tensor& tensor) : val(to_js(tensor)) {}

Tensor JsTensor::read(const char* name) const { return read_tensor(*this, name); }

MaybeTensor::MaybeTensor(const Tensor& tensor) : val(tensor.empty() ? val::undefined() : to_js(tensor)) {}

Tensor MaybeTensor::read(const char* name) const { return is_missing(*this) ? Tensor() : read_tensor(*this, name); }

InputTensor JsInput::read(const char* name) const {
  InputTensor input;
  input.shape = shape_of(*this, name);
  input.is_ids = (*this)["data"].instanceof(val::global("Int32Array"));
  if (input.is_ids) {
    input.ids.resize(element_count(input.shape));
    require_length(transformer_copy_ids(as_handle(), input.ids.data(), input.ids.size()), input.ids.size(), name);
  } else {
    input.vectors = read_tensor(*this, name);
  }
  return input;
}

MediaTensors JsMedia::read() const {
  if (is_missing(*this)) return {};
  return {read_tensor((*this)["values"], "media"), MaybeTensor((*this)["mask"]).read("mask"),
          JsIds((*this)["grids"]).read()};
}

InputTensor MaybeInput::read(const char* name) const { return is_missing(*this) ? InputTensor() : JsInput::read(name); }

JsIds::JsIds(const std::vector<int>& ids) : val(copy_of(ids)) {}

std::vector<int> JsIds::read() const {
  if (is_missing(*this)) return {};
  std::vector<int> ids((*this)["length"].as<std::size_t>());
  transformer_copy_ids(as_handle(), ids.data(), ids.size());
  return ids;
}

OwnedBytes JsBytes::read() const {
  const auto size = (*this)["length"].as<std::size_t>();
  OwnedBytes bytes = {std::make_unique_for_overwrite<std::uint8_t[]>(size), size};
  val(emscripten::typed_memory_view(size, bytes.data.get())).call<void>("set", static_cast<const val&>(*this));
  return bytes;
}

JsBytes::JsBytes(const std::vector<std::uint8_t>& bytes) : val(copy_of(bytes)) {}

JsFloats::JsFloats(const std::vector<float>& floats) : val(copy_of(floats)) {}

namespace {
constexpr const char* kTensor = "{ data: Float32Array, shape: number[] }";
}

EMSCRIPTEN_BINDINGS(tensors) {
  static const std::string input = concat(kTensor, " | { data: Int32Array, shape: number[] }");
  static const std::string maybe = concat(kTensor, " | undefined");
  emscripten::register_type<JsTensor>(kTensor);
  emscripten::register_type<MaybeTensor>(maybe.c_str());
  static const std::string maybe_input = concat(input, " | undefined");
  emscripten::register_type<JsInput>(input.c_str());
  emscripten::register_type<MaybeInput>(maybe_input.c_str());
  static const std::string media =
      concat("{ values: ", kTensor, ", mask?: ", maybe, ", grids?: Int32Array | undefined } | undefined");
  emscripten::register_type<JsMedia>(media.c_str());
  emscripten::register_type<JsIds>("Int32Array");
  emscripten::register_type<JsBytes>("Uint8Array");
  emscripten::register_type<JsFloats>("Float32Array");
  emscripten::register_type<std::vector<int>>("number[]");
  emscripten::register_type<std::vector<std::string>>("string[]");
}

}  // namespace transformer::bindings
