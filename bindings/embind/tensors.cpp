#include "tensors.h"

namespace transformer::bindings {

namespace {

bool is_missing(const val& value) { return value.isUndefined() || value.isNull(); }

Shape shape_of(const val& value, const char* name) {
  require(!is_missing(value) && !is_missing(value["shape"]) && !is_missing(value["data"]), name, " is missing");
  return emscripten::vecFromJSArray<int>(value["shape"]);
}

// Copies a typed array with one call.
template <class T>
void copy_numbers(const val& data, std::size_t count, T* to, const char* name) {
  const auto length = data["length"].as<std::size_t>();
  require(length == count, name, " has ", length, " numbers, but its shape needs ", count);
  val(emscripten::typed_memory_view(count, to)).template call<void>("set", data);
}

Tensor read_tensor(const val& value, const char* name) {
  Tensor tensor(shape_of(value, name));
  copy_numbers(value["data"], tensor.size(), tensor.data(), name);
  return tensor;
}

template <class T>
val slice(const T* data, std::size_t size) {
  return val(emscripten::typed_memory_view(size, data)).template call<val>("slice");
}

val to_js(const Tensor& tensor) {
  val result = val::object();
  result.set("data", slice(tensor.data(), tensor.size()));
  result.set("shape", val::array(tensor.shape()));
  return result;
}

}  // namespace

JsTensor::JsTensor(const Tensor& tensor) : val(to_js(tensor)) {}

Tensor JsTensor::read(const char* name) const { return read_tensor(*this, name); }

MaybeTensor::MaybeTensor(const Tensor& tensor) : val(tensor.empty() ? val::undefined() : to_js(tensor)) {}

Tensor MaybeTensor::read(const char* name) const { return is_missing(*this) ? Tensor() : read_tensor(*this, name); }

InputTensor JsInput::read(const char* name) const {
  InputTensor input;
  input.shape = shape_of(*this, name);
  const val data = (*this)["data"];
  input.is_ids = data.instanceof(val::global("Int32Array"));
  if (input.is_ids) {
    input.ids.resize(element_count(input.shape));
    copy_numbers(data, input.ids.size(), input.ids.data(), name);
  } else {
    input.vectors = read_tensor(*this, name);
  }
  return input;
}

InputTensor MaybeInput::read(const char* name) const { return is_missing(*this) ? InputTensor() : JsInput::read(name); }

JsIds::JsIds(const std::vector<int>& ids) : val(slice(ids.data(), ids.size())) {}

std::vector<int> JsIds::read() const {
  if (is_missing(*this)) return {};
  std::vector<int> ids((*this)["length"].as<std::size_t>());
  copy_numbers(*this, ids.size(), ids.data(), "ids");
  return ids;
}

std::vector<std::uint8_t> JsBytes::read() const {
  std::vector<std::uint8_t> bytes((*this)["length"].as<std::size_t>());
  copy_numbers(*this, bytes.size(), bytes.data(), "bytes");
  return bytes;
}

JsFloats::JsFloats(const std::vector<float>& floats) : val(slice(floats.data(), floats.size())) {}

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
  emscripten::register_type<JsIds>("Int32Array");
  emscripten::register_type<JsBytes>("Uint8Array");
  emscripten::register_type<JsFloats>("Float32Array");
  emscripten::register_type<std::vector<int>>("number[]");
  emscripten::register_type<std::vector<std::string>>("string[]");
}

}  // namespace transformer::bindings
