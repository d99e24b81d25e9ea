// Products of matrices that change from step to step: packed for the kernel of inference each time.
#pragma once

#include "base/arena.h"
#include "base/thread_pool.h"
#include "kernels/panels.h"

namespace transformer::training {

// The floats that the panels of B [depth, cols] take.
constexpr std::size_t panel_floats(int depth, int cols) { return std::size_t{1} * panel_count(cols) * depth * kPanel; }

// The panels of b, or of b^T, in that memory.
Panels pack(ConstView b, float* memory);
Panels pack_transposed(ConstView b, float* memory);

void transpose(ConstView x, View out);

// c = a b, a b^T or a^T b: every sum in ascending order, whatever the number of threads.
struct Scratch {
  Arena& arena;
  ThreadPool& threads;
};
void multiply(ConstView a, ConstView b, View c, Scratch scratch);
void multiply_transposed(ConstView a, ConstView b, View c, Scratch scratch);
void transposed_multiply(ConstView a, ConstView b, View c, Scratch scratch);

}  // namespace transformer::training
