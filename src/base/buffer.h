// Floats aligned to a cache line: the storage of tensors, packed matrices and arena chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>

namespace transformer {

inline constexpr std::size_t kCacheLine = 64;  // bytes

// The product of sizes as a number of floats. Throws std::bad_alloc if memory cannot address them: in 32 bits the
// product would wrap.
inline std::size_t float_count(std::initializer_list<int> sizes) {
  std::size_t count = 1;
  for (int size : sizes) {
    const std::size_t factor = size;
    if (factor > 0 && count > SIZE_MAX / sizeof(float) / factor) throw std::bad_alloc();
    count *= factor;
  }
  return count;
}

// Owns `size()` uninitialised floats. Throws std::bad_alloc if there is no memory for them.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t count) : data_(allocate(count)), size_(count) {}

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  // Aligned by hand: for an aligned request the allocator needs more than it then uses, so that the hole a freed buffer
  // leaves is too small for the next one of its size. With aligned requests, loading GPT-2's shapes peaked at 1.30
  // times the weights.
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
    // The first boundary that leaves room for the block's address in front of it.
    char* begin = static_cast<char*>(block) + kCacheLine;
    begin += kCacheLine - reinterpret_cast<std::uintptr_t>(begin) % kCacheLine;
    std::memcpy(begin - sizeof block, &block, sizeof block);
    return reinterpret_cast<float*>(begin);
  }

  std::unique_ptr<float[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace transformer
