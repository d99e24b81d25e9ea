// How a product C = A B is split among threads, in float32 and in 8 bits.
#pragma once

#include <algorithm>

#include "base/tensor.h"
#include "base/thread_pool.h"

namespace transformer {

// Calls body(row, panel, block) for every block of C, which starts at that row and at that panel of `panel_width`
// columns of B. The size of blocks is fixed, so that the split depends only on the shapes. It has few enough panels to
// give a layer of width 128 several tasks: a claim takes 0.1 microseconds, the smallest tasks worth sharing take five.
// work: of the whole product, as for ThreadPool.
template <class Body>
void for_each_block_of_product(View c, int panel_width, double work, ThreadPool& threads, const Body& body) {
  constexpr int kTaskRows = 64;
  constexpr int kTaskPanels = 4;
  const int width = kTaskPanels * panel_width;
  const int row_tasks = ceil_div(c.rows, kTaskRows);
  const int panel_tasks = ceil_div(c.cols, width);
  threads.parallel_for(row_tasks * panel_tasks, work, [&](int task, int) {
    // The inner loop is over rows, so that a task finds its panels in the second-level cache, left by the previous one.
    const int row = task % row_tasks * kTaskRows;
    const int panel = task / row_tasks * kTaskPanels;
    const int col = panel * panel_width;
    body(row, panel,
         c.row_range(row, std::min(kTaskRows, c.rows - row)).column_range(col, std::min(width, c.cols - col)));
  });
}

}  // namespace transformer
