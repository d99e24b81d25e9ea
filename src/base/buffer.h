// Floats on a cache-line boundary: what every tensor, packed matrix and arena chunk is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>

namespace transformer {

inline constexpr std::size_t kCacheLine = 64;  // bytes

// The product of sizes as a number of floats. Throws std::bad_alloc where memory cannot address so many: in 32 bits the
// product itself may wrap to a small number.
inline std::size_t float_count(std::initializer_list<int> sizes) {
  std::size_t count = 1;
  for (int size : sizes) {
    const std::size_t factor = size;
    if (factor > 0 && count > SIZE_MAX / sizeof(float) / factor) throw std::bad_alloc();
    count *= factor;
  }
  return count;
}

// Owns `size()` floats, not initialised. Throws std::bad_alloc where there is no memory for them.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t count) : data_(allocate(count)), size_(count) {}

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  // Aligned by hand, not by the allocator: for an aligned request it wants more than it then uses, so a hole that such
  // a buffer left is too small for the next one of its size. Loading GPT-2's shapes peaked at 1.30 times the weights
  // so.
  struct Free {
    void operator()(float* data) const {
      void* block;
      std::memcpy(&block, reinterpret_cast<const char*>(data) - sizeof block, sizeof block);
      ::operator delete(block);
    }
  };

  static float* allocate(std::size_t count) {
    if (count > (SIZE_MAX - 2 * kCacheLine) / sizeof(float)) throw std::bad_alloc();
    void* block = ::operator new(count * sizeof(float) + 2 * kCacheLine);
    // Up to a line in front, and there is room for the block's own address.
    char* begin = static_cast<char*>(block) + kCacheLine;
    begin += kCacheLine - reinterpret_cast<std::uintptr_t>(begin) % kCacheLine;
    std::memcpy(begin - sizeof block, &block, sizeof block);
    return reinterpret_cast<float*>(begin);
  }

  std::unique_ptr<float[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace transformer
