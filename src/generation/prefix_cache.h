// Keys and values of sequences that begin alike, and encodings of sources: what was computed once is not computed
// again. It does not depend on what follows or on the batch, so that results with it are those without it, to the last
// bit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.h"

namespace transformer {

// A tree of pages (Kwon et al. 2023, "PagedAttention", section 4.4; its order of eviction is that of Zheng et al. 2024,
// "SGLang", section 3): each is found by the page before it and its own ids, which are compared, not hashed. The pages
// are shared with the sequences that read them. Those that were used least recently go first, and none before those
// after it.
class PrefixCache {
 public:
  using Page = std::vector<std::shared_ptr<Buffer>>;  // of each layer
  static constexpr int kFirst = -1;                   // before the first page of a sequence
  static constexpr int kSource = -2;                  // before the ids of a source, whose encoding is one page

  explicit PrefixCache(std::size_t limit) : limit_(limit) {}

  std::size_t bytes() const { return bytes_; }
  std::size_t limit() const { return limit_; }
  // Forgets what is over the limit; 0: everything, and remembers nothing.
  void limit_to(std::size_t bytes);
  void forget();

  // To be called before the pages of a sequence are asked for, from the first one on.
  void begin() { ++time_; }
  // The page of these ids after the page `before`, or negative.
  int find(int before, std::span<const int> ids);
  const Page& page(int found) const { return entries_[found].page; }
  void count_recalled(int tokens) { recalled_ += tokens; }
  std::int64_t recalled() const { return recalled_; }  // tokens of sequences that were not computed again, so far
  // The same for one that is not known yet; negative if there is no room for it.
  int add(int before, std::span<const int> ids, Page page);

 private:
  struct Entry {
    std::vector<int> key;  // the page before it, and its ids; empty: not in use
    Page page;
    std::size_t bytes;
    std::uint64_t used;  // the last time
    int depth;           // pages before it
  };

  void drop_oldest();

  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::uint64_t time_ = 0;
  std::int64_t recalled_ = 0;
  std::vector<Entry> entries_;
  std::map<std::vector<int>, int> places_;
};

}  // namespace transformer
