// Random numbers for tests, and matrices of them with any offset and stride.
#pragma once

#include <cstring>
#include <limits>
#include <vector>

#include "base/random.h"
#include "base/tensor.h"

namespace transformer::testing {

inline int random_int(Random& random, int low, int high) {  // both inclusive
  return low + static_cast<int>(random.next() % static_cast<std::uint64_t>(high - low + 1));
}

template <class T>
const T& random_choice(Random& random, const std::vector<T>& from) {
  return from[static_cast<std::size_t>(random_int(random, 0, static_cast<int>(from.size()) - 1))];
}

inline float random_float(Random& random, float low = -1.0f, float high = 1.0f) {
  return static_cast<float>(low + (high - low) * random.uniform());
}

inline std::vector<float> random_floats(Random& random, std::size_t count, float low = -1.0f, float high = 1.0f) {
  std::vector<float> numbers(count);
  for (float& number : numbers) number = random_float(random, low, high);
  return numbers;
}

inline Tensor random_tensor(Random& random, Shape shape, float low = -1.0f, float high = 1.0f) {
  Tensor tensor(std::move(shape));
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = random_float(random, low, high);
  return tensor;
}

inline std::vector<int> random_ids(Random& random, int count, int vocab) {
  std::vector<int> ids(static_cast<std::size_t>(count));
  for (int& id : ids) id = random_int(random, 0, vocab - 1);
  return ids;
}

// A matrix with any offset and row stride, surrounded by NaN before, between and after its rows. A kernel that reads
// outside of it gets NaN in its result; one that writes outside is found by surroundings_untouched().
class LooseMatrix {
 public:
  LooseMatrix(int rows, int cols, int gap = 0, int offset = 0)
      : numbers_(static_cast<std::size_t>(offset + rows * (cols + gap) + kAfter), kUntouched),
        view_{numbers_.data() + offset, rows, cols, cols + gap} {
    for (int row = 0; row < rows; ++row) std::fill_n(view_.row(row), cols, 0.0f);
  }
  LooseMatrix(Random& random, int rows, int cols, int gap = 0, int offset = 0) : LooseMatrix(rows, cols, gap, offset) {
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col) view_.row(row)[col] = random_float(random);
    }
  }
  LooseMatrix(const LooseMatrix&) = delete;
  LooseMatrix& operator=(const LooseMatrix&) = delete;

  View view() const { return view_; }

  // Whether all numbers outside of the matrix are still NaN.
  bool surroundings_untouched() const {
    const float* data = numbers_.data();
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const std::ptrdiff_t at = data + i - view_.data;
      const bool inside =
          at >= 0 && view_.stride > 0 && at / view_.stride < view_.rows && at % view_.stride < view_.cols;
      if (!inside && !(data[i] != data[i])) return false;
    }
    return true;
  }

 private:
  static constexpr int kAfter = 64;
  static constexpr float kUntouched = std::numeric_limits<float>::quiet_NaN();

  std::vector<float> numbers_;
  View view_;
};

// Compares bits: -0 differs from 0, and NaN equals itself.
inline bool same_bits(const float* a, const float* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count * sizeof(float)) == 0;
}

inline bool same_bits(ConstView a, ConstView b) {
  if (a.rows != b.rows || a.cols != b.cols) return false;
  for (int row = 0; row < a.rows; ++row) {
    if (!same_bits(a.row(row), b.row(row), static_cast<std::size_t>(a.cols))) return false;
  }
  return true;
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && same_bits(a.data(), b.data(), a.size());
}

}  // namespace transformer::testing
