// How products C = A B are split among threads, whatever the format of B.
#pragma once

#include <algorithm>

#include "base/tensor.h"

namespace transformer {

// The blocks of C, each of which is a task. They have few enough panels to give a layer of width 128 several tasks: a
// claim takes 0.1 microseconds, the smallest tasks worth sharing take five.
class ProductTasks {
 public:
  // panel_width: of B, in columns
  ProductTasks(View c, int panel_width, int threads)
      : c_(c), panel_width_(panel_width), row_tasks_(ceil_div(c.rows, kRows)), panels_(panels_of_task(threads)) {}

  int panel_width() const { return panel_width_; }
  int count() const { return row_tasks_ * ceil_div(c_.cols, panels_ * panel_width_); }

  // Calls body(row, panel, block) for a block of C, which starts at that row and at that panel.
  template <class Body>
  void run(int task, const Body& body) const {
    // The inner loop is over rows, so that a task finds its panels in the second-level cache, left by the previous one.
    const int row = task % row_tasks_ * kRows;
    const int panel = task / row_tasks_ * panels_;
    const int col = panel * panel_width_;
    body(row, panel,
         c_.row_range(row, std::min(kRows, c_.rows - row))
             .column_range(col, std::min(panels_ * panel_width_, c_.cols - col)));
  }

 private:
  static constexpr int kRows = 64;

  // B is read faster in long streams, so that tasks have as many panels as leave each thread four of them, up to a
  // limit. Compared with four panels, one row times 65 MB of float32 takes 0.7 of the time, 16 MB of integers 0.6, a
  // step of decoding with a base model 0.65 to 0.8, and encoders of 16 tokens 0.93 (Zen 4, one thread).
  static constexpr int kTasksOfThread = 4;
  static constexpr int kFewestPanels = 4;
  // Several tiles of rows read the panels again, from the second-level cache.
  static constexpr int kMostPanels = 8;
  // One tile reads them once.
  static constexpr int kMostPanelsOfTile = 64;
  static constexpr int kTileRows = 6;

  int panels_of_task(int threads) const {
    const int share = row_tasks_ * ceil_div(c_.cols, panel_width_) / (kTasksOfThread * threads);
    const int most = c_.rows <= kTileRows ? kMostPanelsOfTile : kMostPanels;
    return std::clamp(share / kFewestPanels * kFewestPanels, kFewestPanels, most);
  }

  View c_;
  int panel_width_;
  int row_tasks_;
  int panels_;  // of a task
};

}  // namespace transformer
