#include "kernels/online_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/simd.h"
#include "kernels/softmax.h"

namespace transformer {

namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// Columns of a block: 8 KiB, so that its second reading is from the first-level cache, and some blocks for each thread.
constexpr int kBlock = 2048;

// An exponential, in multiply-adds.
constexpr double kWorkOfExp = 20;

int block_count(int cols) { return (cols + kBlock - 1) / kBlock; }

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

// maxima and sums [blocks], of the row x.
RowSummary combine(const float* x, const float* maxima, const float* sums, int blocks) {
  RowSummary summary = {0, kMinusInfinity, 0};
  int best_block = 0;
  for (int block = 0; block < blocks; ++block) {
    if (maxima[block] <= summary.maximum) continue;
    summary.maximum = maxima[block];  // NaN stays: nothing is less than it, nor it less than anything
    best_block = block;
    if (std::isnan(summary.maximum)) return summary;
  }
  if (summary.maximum == kMinusInfinity) return summary;
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
    // Infinite: every element is -inf, or the row is refused.
    sums.row(row)[block] = std::isfinite(maximum) ? sum_exp(from, count, maximum) : 0.0f;
  });
  for (int row = 0; row < x.rows; ++row) {
    summaries[row] = combine(x.row(row), maxima.row(row), sums.row(row), blocks);
  }
}

void log_softmax_rows(View x, std::span<const RowSummary> summaries, Workspace& workspace) {
  for_each_block(x, workspace, 1, [&](int row, int, int first, int count) {
    const RowSummary& summary = summaries[row];
    if (summary.maximum == kMinusInfinity) return;
    float* at = x.row(row) + first;
    transform_row(at, at, count, [&](Vec v) { return v - Vec(summary.maximum) - Vec(summary.normalizer); });
  });
}

}  // namespace transformer
