#include "training/products.h"

#include <algorithm>

#include "kernels/gemm.h"
#include "kernels/transpose.h"
#include "matrices/product_tasks.h"

namespace transformer::training {

namespace {

void multiply(ConstView a, const Panels& b, View c, ThreadPool& threads) {
  const ProductTasks tasks(c, kPanel, threads.size());
  threads.parallel_for(tasks.count(), a.elements() * c.cols, [&](int task, int) {
    tasks.run(task, [&](int row, int panel, View block) {
      gemm_block(a.row_range(row, block.rows), {b.first + panel * b.stride, b.stride}, block);
    });
  });
}

}  // namespace

Panels pack(ConstView b, float* memory) {
  const std::ptrdiff_t stride = std::ptrdiff_t{b.rows} * kPanel;
  float* to = memory;
  for (int col = 0; col < b.cols; col += kPanel) {
    const int width = std::min(kPanel, b.cols - col);
    for (int k = 0; k < b.rows; ++k, to += kPanel) {
      std::copy_n(b.row(k) + col, width, to);
      std::fill(to + width, to + kPanel, 0.0f);
    }
  }
  return {memory, stride};
}

Panels pack_transposed(ConstView b, float* memory) {
  const std::ptrdiff_t stride = std::ptrdiff_t{b.cols} * kPanel;
  float* to = memory;
  int row = 0;
  for (; row + kPanel <= b.rows; row += kPanel, to += stride) transpose_to_panel(b.row_range(row, kPanel), to);
  if (row < b.rows) {
    std::fill_n(to, stride, 0.0f);
    for (int col = 0; row < b.rows; ++row, ++col) {
      for (int k = 0; k < b.cols; ++k) to[std::ptrdiff_t{k} * kPanel + col] = b.row(row)[k];
    }
  }
  return {memory, stride};
}

void transpose(ConstView x, View out) {
  constexpr int kBlock = 16;  // rows that share their cache lines
  for (int first = 0; first < x.rows; first += kBlock) {
    const int end = std::min(first + kBlock, x.rows);
    for (int col = 0; col < x.cols; ++col) {
      for (int row = first; row < end; ++row) out.row(col)[row] = x.row(row)[col];
    }
  }
}

void multiply(ConstView a, ConstView b, View c, Scratch scratch) {
  const Arena::Scope scope(scratch.arena);
  multiply(a, pack(b, scratch.arena.take(panel_floats(b.rows, b.cols))), c, scratch.threads);
}

void multiply_transposed(ConstView a, ConstView b, View c, Scratch scratch) {
  const Arena::Scope scope(scratch.arena);
  multiply(a, pack_transposed(b, scratch.arena.take(panel_floats(b.cols, b.rows))), c, scratch.threads);
}

void transposed_multiply(ConstView a, ConstView b, View c, Scratch scratch) {
  const Arena::Scope scope(scratch.arena);
  const View turned = scratch.arena.take(a.cols, a.rows);
  transpose(a, turned);
  multiply(turned, b, c, scratch);
}

}  // namespace transformer::training
