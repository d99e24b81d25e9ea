// The keys and values of the tokens so far, in the panels that the product kernel reads, and in pages of a fixed number
// of tokens (Kwon et al. 2023, "PagedAttention"): memory grows with the sequences, and rows that continue the same
// sequence, as beams do, share its pages.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "attention/heads.h"
#include "base/buffer.h"
#include "base/thread_pool.h"
#include "kernels/panels.h"

namespace transformer {

// A full pass fills a cache at once, so that passes with and without a cache are the same computation.
//
// A page has the keys transposed, as panels of kPanel keys, [head][kPageTokens / kPanel][d_k][kPanel], then the values,
// as panels of kPanel columns, [head][d_v / kPanel][kPageTokens][kPanel].
class KvCache {
 public:
  static constexpr int kPageTokens = 64;  // a multiple of every kPanel

  struct Size {
    int rows;      // sequences: batch, or batch * beams
    int heads;     // of keys and values
    int d_k;       // width of a key
    int d_v;       // width of a value
    int capacity;  // tokens per sequence
  };

  // Memory for sequences of these lengths.
  static std::size_t float_count(const Size& size, const Segments& tokens);
  // For full sequences.
  static std::size_t float_count(const Size& size) { return float_count(size, {size.rows, size.capacity}); }

  // Empty at first. Borrows float_count() floats, or takes memory when it is needed. std::bad_alloc if no memory could
  // hold full sequences.
  KvCache(const Size& size, std::span<float> storage);
  explicit KvCache(const Size& size) : KvCache(size, {}) {}

  const Size& size() const { return size_; }
  int rows() const { return count_of(rows_); }
  int length(int row) const { return rows_[row].length; }
  int max_length() const;  // of no rows: the capacity, so that shapes of an empty batch are those of a pass

  // Appends the first `count` keys and values of batch row `row` to that sequence. invalid_argument if they do not fit.
  void append(int row, int count, ConstHeads keys, ConstHeads values);
  // The same for every row, with as many tokens as its segment has.
  void append(const Segments& tokens, ConstHeads keys, ConstHeads values, ThreadPool& threads);

  // Forgets the last `count` tokens of a row.
  void forget(int row, int count);

  std::size_t page_floats() const;
  // A page of a row that is full, which stays as it is whatever becomes of the row; for another cache of this size.
  std::shared_ptr<Buffer> share_page(int row, int page) const { return pages_[rows_[row].pages[page]].memory; }
  // Appends a page of as many tokens as it holds to a row whose pages are full. The cache must not borrow its memory.
  void adopt_page(int row, std::shared_ptr<Buffer> page);

  // There are parents.size() rows then: row i continues the sequence that was in row parents[i], as the surviving beams
  // of a beam search do, and sequences that no row continues are forgotten.
  void reorder(std::span<const int> parents);

  // The other's rows follow its own, and it has room for as many tokens as either. Both take memory when it is needed,
  // and have heads of the same sizes. No page is copied: the other's take the places of those that no row uses.
  // Allocates nothing after reserve_for(), which changes nothing else.
  void reserve_for(const KvCache& other);
  void join(KvCache&& other);

  // Panels of the keys from token `first` (a multiple of kPageTokens) to the end of the page, key_panel_stride() apart.
  const float* keys(int row, int head, int first) const { return keys_in(page_of(row, first), head); }
  std::ptrdiff_t key_panel_stride() const { return std::ptrdiff_t{size_.d_k} * kPanel; }
  // Panels of the values, value_panel_stride() apart.
  const float* values(int row, int head, int first) const { return values_in(page_of(row, first), head); }
  std::ptrdiff_t value_panel_stride() const { return std::ptrdiff_t{kPageTokens} * kPanel; }

 private:
  struct Row {
    int length = 0;
    std::vector<int> pages = {};
  };
  struct Page {
    float* data = nullptr;
    int users = 0;                             // rows
    std::shared_ptr<Buffer> memory = nullptr;  // unless it is borrowed; others may share it

    bool is_shared() const { return users > 1 || memory.use_count() > 1; }
  };
  struct Copy {
    float* from;  // pages; the first one may have been released since, but others still share it
    float* to;
    int tokens;
  };

  float* page_of(const Row& row, int token) const { return pages_[row.pages[token / kPageTokens]].data; }
  float* page_of(int row, int token) const { return page_of(rows_[row], token); }
  float* keys_in(float* page, int head) const { return page + std::ptrdiff_t{head} * kPageTokens * size_.d_k; }
  float* values_in(float* page, int head) const;
  void require_room(int row, int count) const;
  int take_place();
  int take_page();
  void release_page(int page);
  // Gives the row pages for `count` more tokens, the first of which it does not share: that is to be copied.
  void make_room(int row, int count);
  void copy_head(const Copy& copy, int head);
  // Appends keys or values [count, d] of one head.
  void write_keys(const Row& row, int head, ConstView keys);
  void write_values(const Row& row, int head, ConstView values);

  Size size_;
  std::vector<Row> rows_;
  std::vector<Page> pages_;
  std::vector<int> free_;     // pages that no row uses
  std::vector<Copy> copies_;  // that the last make_room() asked for
  bool borrows_;
};

}  // namespace transformer
