#include "kernels/online_softmax.h"

#include <algorithm>
#include <cmath>

#include "base/forbidden.h"
#include "kernels/simd.h"
#include "kernels/softmax.h"

namespace transformer {

namespace {

// Columns of a block: 8 KiB, so that its second pass reads the first-level cache, and each thread has several blocks.
constexpr int kBlock = 2048;

// The cost of an exponential, in multiply-adds.
constexpr double kWorkOfExp = 20;

int block_count(int cols) { return ceil_div(cols, kBlock); }

// body(row, block, first column, columns) for every block of every row.
template <class Body>
void for_each_block(ConstView x, Workspace& workspace, double work_per_element, const Body& body) {
  const int blocks = block_count(x.cols);
  const double work = x.elements() * work_per_element;
  workspace.threads.parallel_for(x.rows * blocks, work, [&](int task, int) {
    const int block = task % blocks;
    body(task / blocks, block, block * kBlock, std::min(kBlock, x.cols - block * kBlock));
  });
}

// The maximum and the sum of each block of the row x.
RowSummary combine(const float* x, const float* maxima, const float* sums, int blocks) {
  RowSummary summary = {0, kForbidden, 0};
  int best_block = 0;
  for (int block = 0; block < blocks; ++block) {
    if (maxima[block] <= summary.maximum) continue;
    summary.maximum = maxima[block];  // NaN stays: every comparison with it is false
    best_block = block;
    if (std::isnan(summary.maximum)) return summary;
  }
  if (summary.maximum == kForbidden) return summary;
  float sum = 0;
  for (int block = 0; block < blocks; ++block) sum += sums[block] * std::exp(maxima[block] - summary.maximum);
  summary.normalizer = std::log(sum);
  summary.best = best_block * kBlock;
  while (x[summary.best] != summary.maximum) ++summary.best;
  return summary;
}

}  // namespace

void summarize_rows(ConstView x, std::span<RowSummary> summaries, Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const int blocks = block_count(x.cols);
  const View maxima = workspace.arena.take(x.rows, blocks);
  const View sums = workspace.arena.take(x.rows, blocks);
  for_each_block(x, workspace, kWorkOfExp, [&](int row, int block, int first, int count) {
    const float* from = x.row(row) + first;
    const float maximum = row_max(from, count);
    maxima.row(row)[block] = maximum;
    // Infinite: all elements are -inf, or the caller refuses the row.
    sums.row(row)[block] = std::isfinite(maximum) ? sum_exp(from, count, maximum) : 0.0f;
  });
  for (int row = 0; row < x.rows; ++row) {
    summaries[row] = combine(x.row(row), maxima.row(row), sums.row(row), blocks);
  }
}

void log_softmax_rows(View x, std::span<const RowSummary> summaries, Workspace& workspace) {
  for_each_block(x, workspace, 1, [&](int row, int, int first, int count) {
    const RowSummary& summary = summaries[row];
    if (summary.maximum == kForbidden) return;
    float* at = x.row(row) + first;
    transform_row(at, at, count, [&](Vec v) { return v - Vec(summary.maximum) - Vec(summary.normalizer); });
  });
}

}  // namespace transformer
