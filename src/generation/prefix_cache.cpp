#include "generation/prefix_cache.h"

#include <algorithm>

#include "base/tensor.h"

namespace transformer {

namespace {

std::vector<int> key_of(int before, std::span<const int> ids) {
  std::vector<int> key = {before};
  key.insert(key.end(), ids.begin(), ids.end());
  return key;
}

}  // namespace

void PrefixCache::limit_to(std::size_t bytes) {
  limit_ = bytes;
  while (bytes_ > limit_) drop_oldest();
}

void PrefixCache::forget() {
  const std::size_t limit = limit_;
  limit_to(0);
  limit_ = limit;
}

int PrefixCache::find(int before, std::span<const int> ids) {
  const auto place = places_.find(key_of(before, ids));
  if (place == places_.end()) return -1;
  entries_[place->second].used = time_;
  return place->second;
}

int PrefixCache::add(int before, std::span<const int> ids, Page page) {
  std::vector<int> key = key_of(before, ids);
  std::size_t bytes = 2 * key.size() * sizeof(int);
  for (const auto& buffer : page) bytes += buffer->size() * sizeof(float);
  if (bytes > limit_) return -1;
  const auto free = std::find_if(entries_.begin(), entries_.end(), [](const Entry& one) { return one.key.empty(); });
  const int place = static_cast<int>(free - entries_.begin());
  if (free == entries_.end()) entries_.push_back({});
  places_.emplace(key, place);
  const int depth = before < 0 ? 0 : entries_[before].depth + 1;
  entries_[place] = {std::move(key), std::move(page), bytes, time_, depth};
  bytes_ += bytes;
  while (bytes_ > limit_) drop_oldest();
  return entries_[place].key.empty() ? -1 : place;
}

void PrefixCache::drop_oldest() {
  Entry* oldest = nullptr;
  for (Entry& one : entries_) {
    if (one.key.empty()) continue;
    const bool is_older = !oldest || one.used < oldest->used || (one.used == oldest->used && one.depth > oldest->depth);
    if (is_older) oldest = &one;
  }
  if (!oldest) return;
  bytes_ -= oldest->bytes;
  places_.erase(oldest->key);
  oldest->key.clear();
  oldest->page.clear();
}

}  // namespace transformer
