// How products C = A B are split among threads, in float32 and in integers.
#pragma once

#include <algorithm>

#include "base/tensor.h"
#include "base/thread_pool.h"

namespace transformer {

// The blocks of C, each of which is a task. Their size is fixed, so that the split depends only on the shapes. They
// have few enough panels to give a layer of width 128 several tasks: a claim takes 0.1 microseconds, the smallest tasks
// worth sharing take five.
class ProductTasks {
 public:
  // panel_width: of B, in columns
  ProductTasks(View c, int panel_width) : c_(c), panel_width_(panel_width), row_tasks_(ceil_div(c.rows, kRows)) {}

  int panel_width() const { return panel_width_; }
  int count() const { return row_tasks_ * ceil_div(c_.cols, kPanels * panel_width_); }

  // Calls body(row, panel, block) for a block of C, which starts at that row and at that panel.
  template <class Body>
  void run(int task, const Body& body) const {
    // The inner loop is over rows, so that a task finds its panels in the second-level cache, left by the previous one.
    const int row = task % row_tasks_ * kRows;
    const int panel = task / row_tasks_ * kPanels;
    const int col = panel * panel_width_;
    body(row, panel,
         c_.row_range(row, std::min(kRows, c_.rows - row))
             .column_range(col, std::min(kPanels * panel_width_, c_.cols - col)));
  }

 private:
  static constexpr int kRows = 64;
  static constexpr int kPanels = 4;

  View c_;
  int panel_width_;
  int row_tasks_;
};

// Calls body(row, panel, block) for every block of C. work: of the whole product, as for ThreadPool.
template <class Body>
void for_each_block_of_product(View c, int panel_width, double work, ThreadPool& threads, const Body& body) {
  const ProductTasks tasks(c, panel_width);
  threads.parallel_for(tasks.count(), work, [&](int task, int) { tasks.run(task, body); });
}

}  // namespace transformer
