// Tensors and lists of numbers between JavaScript and C++: typed arrays are copied in, and copied out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "js.h"
#include "transformer/front_end.h"
#include "transformer/input_tensor.h"

namespace transformer::bindings {

// { data: Float32Array, shape: number[] }
struct JsTensor : val {
  JsTensor() : val(val::undefined()) {}
  explicit JsTensor(const val& other) : val(other) {}
  explicit JsTensor(const Tensor& tensor);

  // invalid_argument, naming the argument, if it is missing or its numbers do not fill its shape.
  Tensor read(const char* name) const;
};

// The same, or undefined: an empty tensor.
struct MaybeTensor : val {
  MaybeTensor() : val(val::undefined()) {}
  explicit MaybeTensor(const val& other) : val(other) {}
  explicit MaybeTensor(const Tensor& tensor);

  Tensor read(const char* name) const;
};

// Token ids { data: Int32Array, shape } or vectors { data: Float32Array, shape }.
struct JsInput : val {
  JsInput() : val(val::undefined()) {}
  explicit JsInput(const val& other) : val(other) {}

  InputTensor read(const char* name) const;
};

// The same, or undefined: an empty InputTensor.
struct MaybeInput : JsInput {
  using JsInput::JsInput;

  InputTensor read(const char* name) const;
};

struct JsIds : val {  // Int32Array
  JsIds() : val(val::undefined()) {}
  explicit JsIds(const val& other) : val(other) {}
  explicit JsIds(const std::vector<int>& ids);

  std::vector<int> read() const;  // empty if undefined
};

// Sound or pictures { values: TensorData, mask?: TensorData, grids?: Int32Array }, or undefined.
struct JsMedia : val {
  JsMedia() : val(val::undefined()) {}
  explicit JsMedia(const val& other) : val(other) {}

  MediaTensors read() const;
};

// A copy of bytes; unlike a std::vector it is not filled with zeros first, which takes as long as all else of loading.
struct OwnedBytes {
  std::unique_ptr<std::uint8_t[]> data;
  std::size_t size;

  operator std::span<const std::uint8_t>() const { return {data.get(), size}; }
};

struct JsBytes : val {  // Uint8Array
  JsBytes() : val(val::undefined()) {}
  explicit JsBytes(const val& other) : val(other) {}
  explicit JsBytes(const std::vector<std::uint8_t>& bytes);

  OwnedBytes read() const;
};

struct JsIdLists : val {  // Int32Array[]
  JsIdLists() : val(val::array()) {}
  explicit JsIdLists(const val& other) : val(other) {}

  std::vector<std::vector<int>> read() const {
    std::vector<std::vector<int>> lists;
    const auto count = (*this)["length"].as<int>();
    for (int i = 0; i < count; ++i) lists.push_back(JsIds((*this)[i]).read());
    return lists;
  }
};

struct JsFloats : val {  // Float32Array
  JsFloats() : val(val::undefined()) {}
  explicit JsFloats(const val& other) : val(other) {}
  explicit JsFloats(const std::vector<float>& floats);
};

}  // namespace transformer::bindings
