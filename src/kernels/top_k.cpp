#include "kernels/top_k.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "kernels/softmax.h"

namespace transformer {

namespace {

// Columns of a block. All but about `count` blocks are skipped by their maximum.
constexpr int kBlock = 256;
// Blocks per task.
constexpr int kTaskBlocks = 16;

bool is_better(const Ranked& a, const Ranked& b) {
  if (a.value != b.value) return a.value > b.value;
  return a.row != b.row ? a.row < b.row : a.col < b.col;
}

// An unsigned integer of the same order; 0 for -0 too.
std::uint32_t ordered(float key) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(key + 0.0f);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

}  // namespace

void top_k(ConstView x, std::span<const float> offsets, std::size_t count, std::vector<Ranked>& best,
           Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const int blocks = ceil_div(x.cols, kBlock);
  const int tasks = ceil_div(blocks, kTaskBlocks);
  const View maxima = workspace.arena.take(x.rows, blocks);
  workspace.threads.parallel_for(x.rows * tasks, x.elements(), [&](int task, int) {
    const int row = task / tasks;
    const int first = task % tasks * kTaskBlocks;
    for (int block = first; block < std::min(first + kTaskBlocks, blocks); ++block) {
      const int col = block * kBlock;
      maxima.row(row)[block] = offsets[row] + row_max(x.row(row) + col, std::min(kBlock, x.cols - col));
    }
  });

  // Each of the `count` best blocks has an element that reaches the least of their maxima, so that smaller elements are
  // not among the best.
  const std::size_t all = float_count({x.rows, blocks});
  float least = -std::numeric_limits<float>::infinity();
  if (count < all) {
    float* sorted = workspace.arena.take(all);
    std::copy_n(maxima.data, all, sorted);
    std::nth_element(sorted, sorted + count - 1, sorted + all, std::greater<>());
    least = sorted[count - 1];
  }

  best.clear();  // a heap with the least on top
  for (int row = 0; row < x.rows; ++row) {
    const float offset = offsets[row];
    for (int block = 0; block < blocks; ++block) {
      if (maxima.row(row)[block] < least) continue;
      const int end = std::min((block + 1) * kBlock, x.cols);
      for (int col = block * kBlock; col < end; ++col) {
        const Ranked next = {offset + x.row(row)[col], row, col};
        if (next.value < least) continue;
        if (best.size() == count) {
          if (!is_better(next, best.front())) continue;
          std::pop_heap(best.begin(), best.end(), is_better);
          best.back() = next;
        } else {
          best.push_back(next);
        }
        std::push_heap(best.begin(), best.end(), is_better);
      }
    }
  }
  std::sort_heap(best.begin(), best.end(), is_better);
}

void sort_ranked(std::vector<Ranked>& ranked) {
  std::make_heap(ranked.begin(), ranked.end(), is_better);
  std::sort_heap(ranked.begin(), ranked.end(), is_better);
}

// Radix sort: three stable passes, the low bits first, of words that have the key above its column. 32,000 columns took
// 3.4 ms with a heap, and 0.32 as pairs whose digits were counted in each pass (Zen 4, relaxed SIMD). As words that are
// counted once, with top_p's list of columns filled without a call for each, they made sampling 0.3 ms a step faster.
void sort_by_keys(std::span<const float> keys, std::vector<int>& columns) {
  constexpr int kBits = 11, kPasses = 3;
  constexpr std::uint32_t kDigits = 1u << kBits;
  const auto digit = [](std::uint64_t entry, int pass) { return entry >> (32 + pass * kBits) & (kDigits - 1); };
  std::vector<std::uint64_t> from(columns.size()), to(columns.size());
  std::array<std::array<int, kDigits>, kPasses> places = {};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    from[i] = std::uint64_t{ordered(keys[columns[i]])} << 32 | static_cast<std::uint32_t>(columns[i]);
    for (int pass = 0; pass < kPasses; ++pass) ++places[pass][digit(from[i], pass)];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    int first = 0;
    for (int& place : places[pass]) first += std::exchange(place, first);
    for (const std::uint64_t entry : from) to[places[pass][digit(entry, pass)]++] = entry;
    from.swap(to);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<int>(from[i]);
}

}  // namespace transformer
