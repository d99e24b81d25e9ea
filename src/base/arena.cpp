#include "base/arena.h"

#include <algorithm>

namespace transformer {

namespace {
constexpr std::size_t kFloatsPerLine = kCacheLine / sizeof(float);
constexpr std::size_t kFirstChunk = 16 * 1024;     // floats
constexpr std::size_t kDoublesUpTo = 1024 * 1024;  // larger chunks are not doubled: they serve one long sequence
}  // namespace

float* Arena::take(std::size_t count) {
  count = (count + kFloatsPerLine - 1) / kFloatsPerLine * kFloatsPerLine;
  while (chunk_ < count_of(chunks_) && chunks_[chunk_].size() - used_ < count) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == count_of(chunks_)) {
    chunks_.emplace_back(std::max(count, std::clamp(capacity(), kFirstChunk, kDoublesUpTo)));  // doubles the capacity
    used_ = 0;
  }
  float* taken = chunks_[chunk_].data() + used_;
  used_ += count;
  return taken;
}

View Arena::take(int rows, int cols) { return {take(float_count({rows, cols})), rows, cols, cols}; }

std::size_t Arena::capacity() const {
  std::size_t total = 0;
  for (const Buffer& chunk : chunks_) total += chunk.size();
  return total;
}

void Arena::rewind(int chunk, std::size_t used) {
  chunk_ = chunk;
  used_ = used;
}

}  // namespace transformer
