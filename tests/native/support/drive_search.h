// A search without a generator around it.
#pragma once

#include <functional>
#include <vector>

#include "generation/search.h"
#include "support/bench.h"

namespace transformer::testing {

// Runs a search to its end, feeding each row what the search says it goes on from. fill(ids, logits) writes the
// `columns` logits of the token that follows `ids`.
template <class Fill>
void drive_search(
    Search& search, const std::vector<int>& prompt, int columns, const Fill& fill,
    const std::function<void()>& after_step = [] {}) {
  Bench bench;
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(search.rows()), prompt);
  while (!search.done()) {
    Tensor logits({search.rows(), columns});
    for (int row = 0; row < search.rows(); ++row) fill(rows[static_cast<std::size_t>(row)], logits.matrix().row(row));
    search.advance(logits.matrix(), bench.workspace);
    std::vector<std::vector<int>> next_rows;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      next_rows.push_back(rows[static_cast<std::size_t>(search.sources()[row])]);
      next_rows.back().push_back(search.last_tokens()[row]);
    }
    rows = std::move(next_rows);
    after_step();
  }
}

}  // namespace transformer::testing
