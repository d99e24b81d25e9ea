// Scratch memory of a forward pass: a stack that is released scope by scope, and kept for the next pass.
#pragma once

#include <cstddef>
#include <vector>

#include "base/buffer.h"
#include "base/tensor.h"

namespace transformer {

// Grows during the first pass; the same pass again allocates nothing.
class Arena {
 public:
  // `count` floats on a cache-line boundary, not initialised, valid until the enclosing Scope ends.
  float* take(std::size_t count);
  View take(int rows, int cols);

  std::size_t capacity() const;  // floats held

  // Releases at its end what was taken since its start.
  class Scope {
   public:
    explicit Scope(Arena& arena) : arena_(arena), chunk_(arena.chunk_), used_(arena.used_) {}
    ~Scope() { arena_.rewind(chunk_, used_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Arena& arena_;
    int chunk_;
    std::size_t used_;
  };

 private:
  void rewind(int chunk, std::size_t used);

  std::vector<Buffer> chunks_;
  int chunk_ = 0;         // the chunk being filled
  std::size_t used_ = 0;  // floats used of it
};

}  // namespace transformer
