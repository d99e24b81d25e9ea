// Runs a search without a generator.
#pragma once

#include <functional>
#include <vector>

#include "generation/search.h"
#include "support/bench.h"

namespace transformer::testing {

// Runs a search to its end and keeps the ids of each row. fill(ids, logits) writes the `columns` logits of the token
// that follows `ids`.
template <class Fill>
void drive_search(
    Search& search, const std::vector<int>& prompt, int columns, const Fill& fill,
    const std::function<void()>& after_step = [] {}) {
  Bench bench;
  std::vector<std::vector<int>> rows(search.rows(), prompt);
  while (!search.done()) {
    Tensor logits({search.rows(), columns});
    for (int row = 0; row < search.rows(); ++row) fill(rows[row], logits.matrix().row(row));
    search.advance(logits.matrix(), bench.workspace);
    std::vector<std::vector<int>> next_rows;
    for (std::size_t row = 0; row < search.parents().size(); ++row) {
      next_rows.push_back(rows[search.parents()[row]]);
      next_rows.back().push_back(search.last_ids()[row]);
    }
    rows = std::move(next_rows);
    after_step();
  }
}

}  // namespace transformer::testing
