// How a product C = A B is shared out among threads, in float32 and in 8 bits alike.
#pragma once

#include <algorithm>

#include "base/tensor.h"
#include "base/thread_pool.h"

namespace transformer {

// Calls body(row, panel, block) for every block of C, which begins at that row and with that panel of `panel_width`
// columns of B. Blocks are of a fixed size, so that the split follows from the shapes alone. So few panels that a layer
// 128 wide makes several tasks; a claim takes 0.1 microseconds, the smallest tasks worth sharing take five.
// work: of the whole product, as ThreadPool reckons it.
template <class Body>
void for_each_block_of_product(View c, int panel_width, double work, ThreadPool& threads, const Body& body) {
  constexpr int kTaskRows = 64;
  constexpr int kTaskPanels = 4;
  const int width = kTaskPanels * panel_width;
  const int row_tasks = (c.rows + kTaskRows - 1) / kTaskRows;
  const int panel_tasks = (c.cols + width - 1) / width;
  threads.parallel_for(row_tasks * panel_tasks, work, [&](int task, int) {
    // Rows inside, so that a task finds the panels in the second-level cache, where the one before it left them.
    const int row = task % row_tasks * kTaskRows;
    const int panel = task / row_tasks * kTaskPanels;
    const int col = panel * panel_width;
    body(row, panel,
         c.row_range(row, std::min(kTaskRows, c.rows - row)).column_range(col, std::min(width, c.cols - col)));
  });
}

}  // namespace transformer
