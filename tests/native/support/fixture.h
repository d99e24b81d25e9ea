// A case of tests/fixtures/reference or of another folder of fixtures: its tensors and its JSON files.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attention/mask.h"
#include "base/tensor.h"

namespace transformer::testing {

// A tensor of a safetensors file, of any type.
struct StoredTensor {
  std::string dtype;
  Shape shape;
  std::vector<char> bytes;

  std::size_t size() const { return element_count(shape); }
  std::vector<double> numbers() const {
    if (dtype == "F64") return read<double>();
    if (dtype == "F32") return read<float>();
    if (dtype == "I64") return read<std::int64_t>();
    if (dtype == "U8" || dtype == "BOOL") return read<std::uint8_t>();
    ADD_FAILURE() << "unknown type " << dtype;
    return {};
  }
  Tensor tensor() const {
    const std::vector<double> values = numbers();
    Tensor result(shape);
    for (std::size_t i = 0; i < values.size(); ++i) result.data()[i] = static_cast<float>(values[i]);
    return result;
  }

 private:
  template <class T>
  std::vector<double> read() const {
    std::vector<T> values(size());
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return {values.begin(), values.end()};
  }
};

using StoredTensors = std::map<std::string, StoredTensor>;

// The format: the length of the JSON header in 8 bytes, the header, then the numbers, little-endian. No validation.
inline StoredTensors read_safetensors(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), sizeof(header_size));
  const char* data = bytes.data() + sizeof(header_size) + header_size;
  const auto header = nlohmann::json::parse(bytes.data() + sizeof(header_size), data);
  StoredTensors tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto offsets = entry["data_offsets"].get<std::vector<std::size_t>>();
    tensors[name] = {entry["dtype"], entry["shape"].get<Shape>(), {data + offsets[0], data + offsets[1]}};
  }
  return tensors;
}

class Fixture {
 public:
  explicit Fixture(const std::string& name, const std::string& room = "reference")
      : folder_(std::string(TESTS_FIXTURES_DIR) + "/" + room + "/" + name + "/"),
        tensors_(read_safetensors(folder_ + "expected.safetensors")) {}

  nlohmann::json json(const std::string& file) const { return nlohmann::json::parse(std::ifstream(folder_ + file)); }
  StoredTensors model() const { return read_safetensors(folder_ + "model.safetensors"); }

  bool has(const std::string& name) const { return tensors_.count(name) > 0; }
  const StoredTensors& tensors() const { return tensors_; }
  const StoredTensor& stored(const std::string& name) const { return tensors_.at(name); }
  Tensor tensor(const std::string& name) const { return stored(name).tensor(); }
  std::vector<double> numbers(const std::string& name) const { return stored(name).numbers(); }

  // A mask as a term of the scores. BOOL is PyTorch's, true = masked; U8 is 1 = may attend.
  Tensor mask(const std::string& name) const {
    Tensor mask = tensor(name);
    const std::string& dtype = stored(name).dtype;
    for (std::size_t i = 0; i < mask.size() && dtype != "F32"; ++i) {
      const bool blocked = (mask.data()[i] != 0) == (dtype == "BOOL");
      mask.data()[i] = blocked ? kForbidden : 0.0f;
    }
    return mask;
  }

 private:
  std::string folder_;
  StoredTensors tensors_;
};

// [length, batch, width] -> [batch, length, width]
inline Tensor swap_first_axes(const Tensor& x) {
  Tensor result({x.axis(1), x.axis(0), x.axis(2)});
  for (int i = 0; i < x.axis(0); ++i) {
    for (int j = 0; j < x.axis(1); ++j) {
      std::copy_n(x.matrix().row(i * x.axis(1) + j), x.axis(2), result.matrix().row(j * x.axis(0) + i));
    }
  }
  return result;
}

// A tensor of [batch or 1, heads or 1, queries or 1, keys] as a bias: an axis of length one is broadcast.
inline ScoreBias broadcast(const Tensor& bias) {
  ScoreBias view{.data = bias.data()};
  std::ptrdiff_t* strides[4] = {&view.batch, &view.head, &view.query, &view.key};
  std::ptrdiff_t stride = 1;
  for (int axis = 3; axis >= 0; --axis) {
    if (bias.axis(axis) > 1) *strides[axis] = stride;
    stride *= bias.axis(axis);
  }
  return view;
}

// Expects each number within `bound` of the expected one.
inline void expect_near(const float* actual, const std::vector<double>& expected, double bound,
                        const std::string& what) {
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(actual[i], expected[i], bound) << what << " at " << i;
}

// The greatest finite absolute value, for relative bounds.
inline double largest(const std::vector<double>& numbers) {
  double result = 0;
  for (double number : numbers) {
    if (std::isfinite(number)) result = std::max(result, std::abs(number));
  }
  return result;
}

}  // namespace transformer::testing
