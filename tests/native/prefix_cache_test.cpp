// src/generation/prefix_cache: what is found again, and what goes first where there is no room.
#include "generation/prefix_cache.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

using Ids = std::vector<int>;

PrefixCache::Page page_of(std::size_t floats) { return {std::make_shared<Buffer>(floats)}; }

// Adds the pages of a sequence, each of one id -> how many of them stay
int add(PrefixCache& cache, const Ids& ids) {
  cache.begin();
  int before = PrefixCache::kFirst, count = 0;
  for (int id : ids) {
    const Ids own = {id};
    const int known = cache.find(before, own);
    before = known >= 0 ? known : cache.add(before, own, page_of(1000));
    if (before < 0) break;
    ++count;
  }
  return count;
}

int known(PrefixCache& cache, const Ids& ids) {
  cache.begin();
  int before = PrefixCache::kFirst, count = 0;
  for (int id : ids) {
    const Ids own = {id};
    before = cache.find(before, own);
    if (before < 0) break;
    ++count;
  }
  return count;
}

TEST(PrefixCacheTest, FindsWhatFollowsTheSameIds) {
  PrefixCache cache(1 << 20);
  EXPECT_EQ(add(cache, {1, 2, 3}), 3);
  EXPECT_EQ(add(cache, {1, 2, 4}), 3);
  EXPECT_EQ(known(cache, {1, 2, 3, 5}), 3);
  EXPECT_EQ(known(cache, {1, 2, 4}), 3);
  EXPECT_EQ(known(cache, {2, 3}), 0);
  EXPECT_EQ(known(cache, {1, 3}), 1);
  EXPECT_GE(cache.bytes(), 4 * 4000u);
  EXPECT_LT(cache.bytes(), 5 * 4000u);
  const Ids source = {1};
  EXPECT_LT(cache.find(PrefixCache::kSource, source), 0);  // is no beginning of a sequence
}

TEST(PrefixCacheTest, WhatWasUsedLeastRecentlyGoesFirst) {
  PrefixCache cache(4 * 4100);
  EXPECT_EQ(add(cache, {1, 2}), 2);
  EXPECT_EQ(add(cache, {5, 6}), 2);
  EXPECT_EQ(known(cache, {1}), 1);  // newer than 5, 6 and the page after it
  EXPECT_EQ(add(cache, {7}), 1);
  EXPECT_EQ(known(cache, {1, 2}), 1);
  EXPECT_EQ(add(cache, {8}), 1);
  EXPECT_EQ(known(cache, {5, 6}), 1);  // the last page before those that lead to it
  cache.forget();
  EXPECT_EQ(cache.bytes(), 0u);
  EXPECT_EQ(known(cache, {1}), 0);
  EXPECT_EQ(add(cache, {1, 2, 3, 4, 5, 6}), 4);
  cache.limit_to(0);
  EXPECT_EQ(cache.bytes(), 0u);
  EXPECT_EQ(add(cache, {1}), 0);
}

// Pages that are dropped make place for others: no sequence is ever given those of another one.
TEST(PrefixCacheTest, NeverMixesSequences) {
  Random random(4);
  PrefixCache cache(20 * 4100);
  std::map<Ids, const Buffer*> pages;
  for (int round = 0; round < 3000; ++round) {
    Ids ids;
    for (int i = random_int(random, 1, 6); i > 0; --i) ids.push_back(random_int(random, 0, 3));
    cache.begin();
    int before = PrefixCache::kFirst;
    for (int end = 1; end <= static_cast<int>(ids.size()); ++end) {
      const Ids own = {ids[end - 1]}, prefix(ids.begin(), ids.begin() + end);
      const int found = cache.find(before, own);
      if (found >= 0) {
        ASSERT_EQ(cache.page(found).front().get(), pages[prefix]);
        before = found;
        continue;
      }
      PrefixCache::Page page = page_of(1000);
      pages[prefix] = page.front().get();
      before = cache.add(before, own, std::move(page));
      ASSERT_GE(before, 0);
    }
    ASSERT_LE(cache.bytes(), 20u * 4100);
  }
}

}  // namespace
}  // namespace transformer
