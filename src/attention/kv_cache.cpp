#include "attention/kv_cache.h"

#include <algorithm>
#include <numeric>

#include "kernels/gemm.h"

namespace transformer {

namespace {

// A number copied, in multiply-adds.
constexpr double kWorkOfCopy = 4;

std::size_t product(int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

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
      values_(storage + product(size.rows, size.heads) * keys_per_head()),
      slots_(static_cast<std::size_t>(size.rows)),
      lengths_(static_cast<std::size_t>(size.rows), 0) {
  std::iota(slots_.begin(), slots_.end(), 0);
}

std::size_t KvCache::keys_per_head() const { return product(size_.d_k, size_.capacity); }
std::size_t KvCache::values_per_head() const { return product(panel_count(size_.d_v) * kPanel, size_.capacity); }
std::size_t KvCache::key_panel_stride() const { return product(size_.d_k, kPanel); }
std::size_t KvCache::value_panel_stride() const { return product(size_.capacity, kPanel); }

float* KvCache::slot_keys(std::size_t slot, int head) const {
  return keys_ + (slot * static_cast<std::size_t>(size_.heads) + static_cast<std::size_t>(head)) * keys_per_head();
}

float* KvCache::slot_values(std::size_t slot, int head) const {
  return values_ + (slot * static_cast<std::size_t>(size_.heads) + static_cast<std::size_t>(head)) * values_per_head();
}

const float* KvCache::keys(int row, int head, int first) const {
  return slot_keys(slot(row), head) + product(first / kPanel, 1) * key_panel_stride();
}

const float* KvCache::values(int row, int head, int first) const {
  return slot_values(slot(row), head) + product(first, kPanel);
}

int KvCache::max_length() const { return lengths_.empty() ? 0 : *std::max_element(lengths_.begin(), lengths_.end()); }

void KvCache::require_room(int row, int count) const {
  require(length(row) + count <= size_.capacity, "the kv cache holds ", size_.capacity, " tokens, not ",
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
  threads.parallel_for(tasks, static_cast<double>(tasks) * count * (size_.d_k + size_.d_v) * kWorkOfCopy,
                       [&](int task, int) {
                         const int row = task / size_.heads;
                         const int head = task % size_.heads;
                         write_keys(slot(row), head, keys.rows(row, head, 0, count, size_.d_k));
                         write_values(slot(row), head, values.rows(row, head, 0, count, size_.d_v));
                       });
  for (int row = 0; row < rows(); ++row) lengths_[slot(row)] += count;
}

void KvCache::write_keys(std::size_t slot, int head, ConstView keys) {
  for (int done = 0; done < keys.rows;) {
    const int token = lengths_[slot] + done;
    const int first = token % kPanel;
    const int count = std::min(kPanel - first, keys.rows - done);  // that go to this panel
    float* panel = slot_keys(slot, head) + product(token / kPanel, 1) * key_panel_stride();
    // The kernel computes scores for whole panels: keys that do not exist yet must at least be numbers.
    if (first == 0 && count < kPanel) std::fill_n(panel, key_panel_stride(), 0.0f);
    for (int d = 0; d < size_.d_k; ++d) {
      const float* from = keys.row(done) + d;
      float* to = panel + d * kPanel + first;
      for (int i = 0; i < count; ++i) to[i] = from[static_cast<std::ptrdiff_t>(i) * keys.stride];
    }
    done += count;
  }
}

void KvCache::write_values(std::size_t slot, int head, ConstView values) {
  for (int n = 0; n < values.rows; ++n) {
    float* to = slot_values(slot, head) + product(lengths_[slot] + n, kPanel);
    for (int d = 0; d < size_.d_v; d += kPanel, to += value_panel_stride()) {
      const int count = std::min(kPanel, size_.d_v - d);
      std::copy_n(values.row(n) + d, count, to);
      std::fill_n(to + count, kPanel - count, 0.0f);
    }
  }
}

void KvCache::copy_head(std::size_t from, std::size_t to, int head) {
  const int length = lengths_[from];
  std::copy_n(slot_keys(from, head), product(panel_count(length), 1) * key_panel_stride(), slot_keys(to, head));
  for (int panel = 0; panel < panel_count(size_.d_v); ++panel) {
    const std::size_t offset = product(panel, 1) * value_panel_stride();
    std::copy_n(slot_values(from, head) + offset, product(length, kPanel), slot_values(to, head) + offset);
  }
}

void KvCache::reorder(std::span<const int> sources, ThreadPool& threads) {
  // The first row that goes on from a slot keeps it; the others get copies in the slots that nobody goes on from.
  next_slots_.assign(slots_.size(), -1);
  taken_.assign(slots_.size(), false);
  copies_.clear();
  for (std::size_t row = 0; row < slots_.size(); ++row) {
    const std::size_t from = slot(sources[row]);
    if (taken_[from]) continue;
    taken_[from] = true;
    next_slots_[row] = static_cast<int>(from);
  }
  std::size_t free = 0;
  int longest = 0;
  for (std::size_t row = 0; row < slots_.size(); ++row) {
    if (next_slots_[row] >= 0) continue;
    while (taken_[free]) ++free;
    taken_[free] = true;
    copies_.push_back({slot(sources[row]), free});
    next_slots_[row] = static_cast<int>(free);
    longest = std::max(longest, lengths_[copies_.back().from]);
  }
  const int tasks = static_cast<int>(copies_.size()) * size_.heads;
  threads.parallel_for(tasks, static_cast<double>(tasks) * longest * (size_.d_k + size_.d_v) * kWorkOfCopy,
                       [&](int task, int) {
                         const Copy& copy = copies_[static_cast<std::size_t>(task / size_.heads)];
                         copy_head(copy.from, copy.to, task % size_.heads);
                       });
  for (const Copy& copy : copies_) lengths_[copy.to] = lengths_[copy.from];
  std::swap(slots_, next_slots_);
}

}  // namespace transformer
