#include "attention/kv_cache.h"

#include <algorithm>

#include "kernels/transpose.h"

namespace transformer {

namespace {

// The cost of copying a number, in multiply-adds.
constexpr double kWorkOfCopy = 4;

static_assert(KvCache::kPageTokens % kPanel == 0, "a page holds whole panels");

int page_count(int tokens) { return ceil_div(tokens, KvCache::kPageTokens); }

std::size_t floats_of_page(const KvCache::Size& size) {
  return float_count({size.heads, size.d_k + panel_count(size.d_v) * kPanel, KvCache::kPageTokens});
}

}  // namespace

std::size_t KvCache::float_count(const Size& size, const Segments& tokens) {
  if (tokens.offsets.empty()) {
    const int width = size.d_k + panel_count(size.d_v) * kPanel;
    return transformer::float_count({tokens.batch, page_count(tokens.time), size.heads, width, kPageTokens});
  }
  std::size_t pages = 0;
  for (int row = 0; row < tokens.batch; ++row) pages += page_count(tokens.length(row));
  return pages * floats_of_page(size);
}

std::size_t KvCache::page_floats() const { return floats_of_page(size_); }

KvCache::KvCache(const Size& size, std::span<float> storage)
    : size_(size), rows_(size.rows), borrows_(!storage.empty()) {
  static_cast<void>(float_count(size));
  if (!borrows_) return;
  const std::size_t floats = floats_of_page(size);
  for (std::size_t at = 0; at < storage.size(); at += floats) pages_.push_back({.data = storage.data() + at});
  for (int page = count_of(pages_) - 1; page >= 0; --page) free_.push_back(page);
}

int KvCache::max_length() const {
  if (rows_.empty()) return size_.capacity;
  int length = 0;
  for (const Row& row : rows_) length = std::max(length, row.length);
  return length;
}

float* KvCache::values_in(float* page, int head) const {
  return keys_in(page, size_.heads) + head * panel_count(size_.d_v) * value_panel_stride();
}

void KvCache::require_room(int row, int count) const {
  require(length(row) + count <= size_.capacity, "the key/value cache has room for ", size_.capacity, " tokens, not ",
          length(row) + count);
}

int KvCache::take_place() {
  if (free_.empty()) {
    require(!borrows_, "the key/value cache's memory is full");
    free_.reserve(pages_.size() + 1);  // so that releasing a page allocates nothing
    pages_.push_back({});
    free_.push_back(count_of(pages_) - 1);
  }
  const int page = free_.back();
  free_.pop_back();
  pages_[page].users = 1;
  return page;
}

int KvCache::take_page() {
  const int page = take_place();
  if (pages_[page].data) return page;
  try {
    pages_[page].memory = std::make_shared<Buffer>(page_floats());
  } catch (...) {
    release_page(page);
    throw;
  }
  pages_[page].data = pages_[page].memory->data();
  return page;
}

void KvCache::release_page(int page) {
  if (--pages_[page].users > 0) return;
  if (pages_[page].is_shared()) pages_[page] = {};  // its numbers are still read elsewhere
  free_.push_back(page);
}

void KvCache::adopt_page(int row, std::shared_ptr<Buffer> page) {
  require_room(row, kPageTokens);
  rows_[row].pages.reserve(rows_[row].pages.size() + 1);
  const int place = take_place();
  pages_[place].data = page->data();
  pages_[place].memory = std::move(page);
  rows_[row].pages.push_back(place);
  rows_[row].length += kPageTokens;
}

void KvCache::make_room(int row, int count) {
  Row& own = rows_[row];
  if (const int used = own.length % kPageTokens; used > 0 && count > 0) {
    int& last = own.pages.back();
    if (pages_[last].is_shared()) {
      const int copy = take_page();
      copies_.push_back({pages_[last].data, pages_[copy].data, used});
      release_page(last);
      last = copy;
    }
  }
  const int pages = page_count(own.length + count);
  own.pages.reserve(pages);
  while (count_of(own.pages) < pages) own.pages.push_back(take_page());
}

void KvCache::copy_head(const Copy& copy, int head) {
  std::copy_n(keys_in(copy.from, head), panel_count(copy.tokens) * key_panel_stride(), keys_in(copy.to, head));
  for (int panel = 0; panel < panel_count(size_.d_v); ++panel) {
    const std::ptrdiff_t offset = panel * value_panel_stride();
    std::copy_n(values_in(copy.from, head) + offset, std::ptrdiff_t{copy.tokens} * kPanel,
                values_in(copy.to, head) + offset);
  }
}

void KvCache::append(int row, int count, ConstHeads keys, ConstHeads values) {
  require_room(row, count);
  copies_.clear();
  make_room(row, count);
  for (int head = 0; head < size_.heads; ++head) {
    for (const Copy& copy : copies_) copy_head(copy, head);
    write_keys(rows_[row], head, keys.rows(row, head, 0, count, size_.d_k));
    write_values(rows_[row], head, values.rows(row, head, 0, count, size_.d_v));
  }
  rows_[row].length += count;
}

void KvCache::append(const Segments& tokens, ConstHeads keys, ConstHeads values, ThreadPool& threads) {
  for (int row = 0; row < rows(); ++row) require_room(row, tokens.length(row));
  copies_.clear();
  for (int row = 0; row < rows(); ++row) make_room(row, tokens.length(row));
  const double work = kWorkOfCopy * size_.heads * (size_.d_k + size_.d_v);  // of a token
  const int copies = count_of(copies_) * size_.heads;
  threads.parallel_for(copies, work * count_of(copies_) * kPageTokens,
                       [&](int task, int) { copy_head(copies_[task / size_.heads], task % size_.heads); });
  threads.parallel_for(rows() * size_.heads, work * tokens.rows(), [&](int task, int) {
    const int row = task / size_.heads;
    const int head = task % size_.heads;
    const int count = tokens.length(row);
    write_keys(rows_[row], head, keys.rows(row, head, 0, count, size_.d_k));
    write_values(rows_[row], head, values.rows(row, head, 0, count, size_.d_v));
  });
  for (int row = 0; row < rows(); ++row) rows_[row].length += tokens.length(row);
}

// Both are not inlined, for their size.
[[gnu::noinline]] void KvCache::write_keys(const Row& row, int head, ConstView keys) {
  for (int done = 0; done < keys.rows;) {
    const int token = row.length + done;
    const int first = token % kPanel;
    const int count = std::min(kPanel - first, keys.rows - done);  // the number of keys for this panel
    const int panel_in_page = token % kPageTokens / kPanel;
    float* panel = keys_in(page_of(row, token), head) + panel_in_page * key_panel_stride();
    if (count == kPanel) {
      transpose_to_panel(keys.row_range(done, kPanel), panel);
    } else {
      // The kernel computes scores for whole panels: missing keys must be finite.
      if (first == 0) std::fill_n(panel, key_panel_stride(), 0.0f);
      for (int d = 0; d < size_.d_k; ++d) {
        const float* from = keys.row(done) + d;
        float* to = panel + d * kPanel + first;
        for (int i = 0; i < count; ++i) to[i] = from[i * keys.stride];
      }
    }
    done += count;
  }
}

[[gnu::noinline]] void KvCache::write_values(const Row& row, int head, ConstView values) {
  for (int n = 0; n < values.rows; ++n) {
    const int token = row.length + n;
    float* to = values_in(page_of(row, token), head) + std::ptrdiff_t{token % kPageTokens} * kPanel;
    const float* from = values.row(n);
    int d = 0;
    for (; d + kPanel <= size_.d_v; d += kPanel, to += value_panel_stride()) std::copy_n(from + d, kPanel, to);
    if (d < size_.d_v) std::fill_n(std::copy(from + d, from + size_.d_v, to), kPanel - (size_.d_v - d), 0.0f);
  }
}

void KvCache::forget(int row, int count) {
  Row& own = rows_[row];
  require(count >= 0 && count <= own.length, "a sequence of ", own.length, " tokens cannot forget ", count);
  own.length -= count;
  while (count_of(own.pages) > page_count(own.length)) {
    release_page(own.pages.back());
    own.pages.pop_back();
  }
}

void KvCache::reorder(std::span<const int> parents) {
  bool changes = count_of(parents) != rows();
  for (int row = 0; !changes && row < rows(); ++row) changes = parents[row] != row;
  if (!changes) return;
  std::vector<Row> next;
  next.reserve(parents.size());
  for (int parent : parents) {
    next.push_back(rows_[parent]);
    for (int page : next.back().pages) ++pages_[page].users;
  }
  for (const Row& row : rows_) {
    for (int page : row.pages) release_page(page);
  }
  rows_ = std::move(next);
}

void KvCache::reserve_for(const KvCache& other) {
  const std::size_t pages = pages_.size() + other.pages_.size();
  rows_.reserve(rows_.size() + other.rows_.size());
  pages_.reserve(pages);
  free_.reserve(pages);
}

void KvCache::join(KvCache&& other) {
  reserve_for(other);
  size_.capacity = std::max(size_.capacity, other.size_.capacity);
  std::vector<int>& places = other.free_;  // of the other's pages from now on; it has room for all of them
  places.resize(other.pages_.size());
  for (int page = 0; page < count_of(other.pages_); ++page) {
    if (other.pages_[page].users == 0) continue;
    if (free_.empty()) {
      free_.push_back(count_of(pages_));
      pages_.push_back({});
    }
    const int place = places[page] = free_.back();
    free_.pop_back();
    pages_[place] = std::move(other.pages_[page]);
  }
  for (Row& row : other.rows_) {
    for (int& page : row.pages) page = places[page];
    rows_.push_back(std::move(row));
  }
}

}  // namespace transformer
