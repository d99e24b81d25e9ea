#include "attention/kv_cache.h"

#include <algorithm>
#include <numeric>

#include "kernels/gemm.h"

namespace transformer {

namespace {

// The cost of copying a number, in multiply-adds.
constexpr double kWorkOfCopy = 4;

KvCache::Size round_up(KvCache::Size size) {
  size.capacity = panel_count(size.capacity) * kPanel;
  return size;
}

}  // namespace

std::size_t KvCache::float_count(const Size& size) {
  const int capacity = round_up(size).capacity;
  return transformer::float_count({size.rows, size.heads, size.d_k + panel_count(size.d_v) * kPanel, capacity});
}

KvCache::KvCache(const Size& size, float* storage)
    : size_(round_up(size)),
      keys_(storage),
      values_(storage + std::ptrdiff_t{size.rows} * size.heads * keys_per_head()),
      slots_(size.rows),
      lengths_(size.rows, 0) {
  std::iota(slots_.begin(), slots_.end(), 0);
}

std::ptrdiff_t KvCache::keys_per_head() const { return size_.capacity / kPanel * key_panel_stride(); }
std::ptrdiff_t KvCache::values_per_head() const { return panel_count(size_.d_v) * value_panel_stride(); }

float* KvCache::slot_keys(int slot, int head) const { return keys_ + (slot * size_.heads + head) * keys_per_head(); }

float* KvCache::slot_values(int slot, int head) const {
  return values_ + (slot * size_.heads + head) * values_per_head();
}

const float* KvCache::keys(int row, int head, int first) const {
  return slot_keys(slot(row), head) + first / kPanel * key_panel_stride();
}

const float* KvCache::values(int row, int head, int first) const {
  return slot_values(slot(row), head) + std::ptrdiff_t{first} * kPanel;
}

int KvCache::max_length() const { return lengths_.empty() ? 0 : *std::max_element(lengths_.begin(), lengths_.end()); }

void KvCache::require_room(int row, int count) const {
  require(length(row) + count <= size_.capacity, "the key/value cache has room for ", size_.capacity, " tokens, not ",
          length(row) + count);
}

void KvCache::append(int row, int count, ConstHeads keys, ConstHeads values) {
  require_room(row, count);
  for (int head = 0; head < size_.heads; ++head) {
    write_keys(slot(row), head, keys.rows(row, head, 0, count, size_.d_k));
    write_values(slot(row), head, values.rows(row, head, 0, count, size_.d_v));
  }
  lengths_[slot(row)] += count;
}

void KvCache::append(int count, ConstHeads keys, ConstHeads values, ThreadPool& threads) {
  for (int row = 0; row < rows(); ++row) require_room(row, count);
  const int tasks = rows() * size_.heads;
  threads.parallel_for(tasks, kWorkOfCopy * tasks * count * (size_.d_k + size_.d_v), [&](int task, int) {
    const int row = task / size_.heads;
    const int head = task % size_.heads;
    write_keys(slot(row), head, keys.rows(row, head, 0, count, size_.d_k));
    write_values(slot(row), head, values.rows(row, head, 0, count, size_.d_v));
  });
  for (int row = 0; row < rows(); ++row) lengths_[slot(row)] += count;
}

void KvCache::write_keys(int slot, int head, ConstView keys) {
  for (int done = 0; done < keys.rows;) {
    const int token = lengths_[slot] + done;
    const int first = token % kPanel;
    const int count = std::min(kPanel - first, keys.rows - done);  // the number of keys for this panel
    float* panel = slot_keys(slot, head) + token / kPanel * key_panel_stride();
    // The kernel computes scores for whole panels: missing keys must be finite.
    if (first == 0 && count < kPanel) std::fill_n(panel, key_panel_stride(), 0.0f);
    for (int d = 0; d < size_.d_k; ++d) {
      const float* from = keys.row(done) + d;
      float* to = panel + d * kPanel + first;
      for (int i = 0; i < count; ++i) to[i] = from[i * keys.stride];
    }
    done += count;
  }
}

void KvCache::write_values(int slot, int head, ConstView values) {
  for (int n = 0; n < values.rows; ++n) {
    float* to = slot_values(slot, head) + std::ptrdiff_t{lengths_[slot] + n} * kPanel;
    for (int d = 0; d < size_.d_v; d += kPanel, to += value_panel_stride()) {
      const int count = std::min(kPanel, size_.d_v - d);
      std::copy_n(values.row(n) + d, count, to);
      std::fill_n(to + count, kPanel - count, 0.0f);
    }
  }
}

void KvCache::copy_head(int from, int to, int head) {
  const int length = lengths_[from];
  std::copy_n(slot_keys(from, head), panel_count(length) * key_panel_stride(), slot_keys(to, head));
  for (int panel = 0; panel < panel_count(size_.d_v); ++panel) {
    const std::ptrdiff_t offset = panel * value_panel_stride();
    std::copy_n(slot_values(from, head) + offset, std::ptrdiff_t{length} * kPanel, slot_values(to, head) + offset);
  }
}

void KvCache::reorder(std::span<const int> parents, ThreadPool& threads) {
  // The first row that continues a slot keeps it; the others get copies, in slots that no row continues.
  next_slots_.assign(slots_.size(), -1);
  taken_.assign(slots_.size(), false);
  copies_.clear();
  for (int row = 0; row < rows(); ++row) {
    const int from = slot(parents[row]);
    if (taken_[from]) continue;
    taken_[from] = true;
    next_slots_[row] = from;
  }
  int free = 0;
  int longest = 0;
  for (int row = 0; row < rows(); ++row) {
    if (next_slots_[row] >= 0) continue;
    while (taken_[free]) ++free;
    taken_[free] = true;
    copies_.push_back({slot(parents[row]), free});
    next_slots_[row] = free;
    longest = std::max(longest, lengths_[copies_.back().from]);
  }
  const int tasks = count_of(copies_) * size_.heads;
  threads.parallel_for(tasks, kWorkOfCopy * tasks * longest * (size_.d_k + size_.d_v), [&](int task, int) {
    const Copy& copy = copies_[task / size_.heads];
    copy_head(copy.from, copy.to, task % size_.heads);
  });
  for (const Copy& copy : copies_) lengths_[copy.to] = lengths_[copy.from];
  std::swap(slots_, next_slots_);
}

}  // namespace transformer
