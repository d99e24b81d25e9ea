#include "attention/kv_cache.h"

#include <algorithm>
#include <numeric>

#include "kernels/gemm.h"

namespace transformer {

namespace {

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

void KvCache::append(int row, int count, ConstHeads keys, ConstHeads values) {
  const std::size_t at = slot(row);
  const int first = lengths_[at];
  require(first + count <= size_.capacity, "the kv cache holds ", size_.capacity, " tokens, not ", first + count);
  for (int head = 0; head < size_.heads; ++head) {
    for (int n = 0; n < count; ++n) {
      write_key(at, head, first + n, keys.at(row, head, n));
      write_value(at, head, first + n, values.at(row, head, n));
    }
  }
  lengths_[at] = first + count;
}

void KvCache::write_key(std::size_t slot, int head, int token, const float* key) {
  float* panel = slot_keys(slot, head) + product(token / kPanel, 1) * key_panel_stride();
  // The kernel computes scores for whole panels: keys that do not exist yet must at least be numbers.
  if (token % kPanel == 0) std::fill_n(panel, key_panel_stride(), 0.0f);
  for (int d = 0; d < size_.d_k; ++d) panel[d * kPanel + token % kPanel] = key[d];
}

void KvCache::write_value(std::size_t slot, int head, int token, const float* value) {
  float* to = slot_values(slot, head) + product(token, kPanel);
  for (int d = 0; d < size_.d_v; d += kPanel, to += value_panel_stride()) {
    const int count = std::min(kPanel, size_.d_v - d);
    std::copy_n(value + d, count, to);
    std::fill_n(to + count, kPanel - count, 0.0f);
  }
}

void KvCache::copy_slot(std::size_t from, std::size_t to) {
  const int length = lengths_[from];
  for (int head = 0; head < size_.heads; ++head) {
    std::copy_n(slot_keys(from, head), product(panel_count(length), 1) * key_panel_stride(), slot_keys(to, head));
    for (int panel = 0; panel < panel_count(size_.d_v); ++panel) {
      const std::size_t offset = product(panel, 1) * value_panel_stride();
      std::copy_n(slot_values(from, head) + offset, product(length, kPanel), slot_values(to, head) + offset);
    }
  }
  lengths_[to] = length;
}

void KvCache::reorder(std::span<const int> sources) {
  // The first row that goes on from a slot keeps it; the others get copies in the slots that nobody goes on from.
  std::vector<int> next(slots_.size(), -1);
  std::vector<bool> taken(slots_.size(), false);
  for (std::size_t row = 0; row < next.size(); ++row) {
    const std::size_t from = slot(sources[row]);
    if (taken[from]) continue;
    taken[from] = true;
    next[row] = static_cast<int>(from);
  }
  std::size_t free = 0;
  for (std::size_t row = 0; row < next.size(); ++row) {
    if (next[row] >= 0) continue;
    while (taken[free]) ++free;
    taken[free] = true;
    copy_slot(slot(sources[row]), free);
    next[row] = static_cast<int>(free);
  }
  slots_ = std::move(next);
}

void KvCache::repeat_rows(int times) {
  std::vector<int> repeated;
  for (int slot : slots_) repeated.insert(repeated.end(), static_cast<std::size_t>(times), slot);
  slots_ = std::move(repeated);
}

}  // namespace transformer
