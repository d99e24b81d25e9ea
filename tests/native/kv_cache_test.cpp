// src/attention/kv_cache: the appended keys and values are read back after any reordering.
#include "attention/kv_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "kernels/gemm.h"
#include "support/bench.h"
#include "support/errors.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

// Keys and values of one token: [heads, d].
struct Token {
  std::vector<float> key;
  std::vector<float> value;
};

class KvCacheTest : public ::testing::Test {
 protected:
  static constexpr KvCache::Size kSize = {.rows = 5, .heads = 3, .d_k = 5, .d_v = 19, .capacity = 150};

  Token random_token() {
    return {random_floats(random_, kSize.heads * kSize.d_k), random_floats(random_, kSize.heads * kSize.d_v)};
  }
  static void append(KvCache& cache, int row, const Token& token) {
    // Every batch row is this one.
    cache.append(row, 1, {.data = token.key.data(), .head = kSize.d_k},
                 {.data = token.value.data(), .head = kSize.d_v});
  }
  static void expect_tokens(const KvCache& cache, int row, const std::vector<Token>& tokens) {
    ASSERT_EQ(cache.length(row), static_cast<int>(tokens.size()));
    for (int t = 0; t < cache.length(row); ++t) {
      const Token& token = tokens[t];
      for (int head = 0; head < kSize.heads; ++head) {
        const int first = t / KvCache::kPageTokens * KvCache::kPageTokens;  // of the page
        const float* keys = cache.keys(row, head, first) + (t - first) / kPanel * cache.key_panel_stride();
        for (int d = 0; d < kSize.d_k; ++d) {
          ASSERT_EQ(keys[d * kPanel + t % kPanel], token.key[head * kSize.d_k + d]);
        }
        const float* values = cache.values(row, head, first) + (t - first) * kPanel;
        for (int d = 0; d < panel_count(kSize.d_v) * kPanel; ++d) {
          const float stored = values[static_cast<std::size_t>(d / kPanel) * cache.value_panel_stride() + d % kPanel];
          const bool is_padding = d >= kSize.d_v;
          ASSERT_EQ(stored, is_padding ? 0.0f : token.value[head * kSize.d_v + d]);
        }
      }
    }
  }

  Random random_{1};
  Buffer storage_{KvCache::float_count(kSize)};
  KvCache cache_{kSize, {storage_.data(), storage_.size()}};
};

// So that the weights of an empty batch have the shape of a pass: [0, heads, queries, keys].
TEST(KvCacheOfNoRowsTest, IsAsLongAsItsCapacity) {
  const KvCache cache(KvCache::Size{.rows = 0, .heads = 2, .d_k = 4, .d_v = 3, .capacity = 7});
  EXPECT_EQ(cache.max_length(), 7);
}

TEST_F(KvCacheTest, HoldsWhatWasAppended) {
  std::vector<std::vector<Token>> rows(kSize.rows);
  EXPECT_EQ(cache_.max_length(), 0);
  for (int step = 0; step < 600; ++step) {
    const int row = random_int(random_, 0, kSize.rows - 1);
    if (cache_.length(row) == kSize.capacity) continue;
    rows[row].push_back(random_token());
    append(cache_, row, rows[row].back());
  }
  for (int row = 0; row < kSize.rows; ++row) expect_tokens(cache_, row, rows[row]);
}

TEST_F(KvCacheTest, AppendingOneByOneGivesTheSameBits) {
  const int count = 137;
  const LooseMatrix keys(random_, kSize.rows * count, kSize.heads * kSize.d_k, 2),
      values(random_, kSize.rows * count, kSize.heads * kSize.d_v, 1);
  ConstHeads key_heads = heads_in_columns<const float>(keys.view(), {kSize.rows, count}, kSize.d_k);
  ConstHeads value_heads = heads_in_columns<const float>(values.view(), {kSize.rows, count}, kSize.d_v);
  Buffer other_storage(storage_.size());
  for (Buffer* buffer : {&storage_, &other_storage}) std::fill_n(buffer->data(), buffer->size(), -1.0f);
  KvCache other(kSize, {other_storage.data(), other_storage.size()});
  Bench bench(3);
  cache_.append(Segments{kSize.rows, count}, key_heads, value_heads, bench.threads);
  for (int t = 0; t < count; ++t) {
    for (int row = 0; row < kSize.rows; ++row) other.append(row, 1, key_heads, value_heads);
    key_heads.data += key_heads.time;
    value_heads.data += value_heads.time;
  }
  for (int row = 0; row < kSize.rows; ++row) {
    for (int head = 0; head < kSize.heads; ++head) {
      for (int first = 0; first < count; first += KvCache::kPageTokens) {
        const int tokens = std::min(KvCache::kPageTokens, count - first);
        const auto key_floats = static_cast<std::size_t>(panel_count(tokens) * cache_.key_panel_stride());
        EXPECT_TRUE(same_bits(cache_.keys(row, head, first), other.keys(row, head, first), key_floats));
        for (int panel = 0; panel < panel_count(kSize.d_v); ++panel) {
          const std::ptrdiff_t at = panel * cache_.value_panel_stride();
          EXPECT_TRUE(same_bits(cache_.values(row, head, first) + at, other.values(row, head, first) + at,
                                static_cast<std::size_t>(tokens * kPanel)));
        }
      }
    }
  }
}

// As in a beam search: every row gets a token, then each row continues any of the rows; and rows leave and split. As
// after a wrong guess, a row forgets its last tokens.
TEST_F(KvCacheTest, FollowsBeamsThatSplitSwapAndDie) {
  for (int round = 0; round < 30; ++round) {
    KvCache cache(kSize);
    std::vector<std::vector<Token>> rows(kSize.rows);
    for (int step = 0; step < 20; ++step) {
      const int tokens = round % 2 == 0 ? 1 : random_int(random_, 0, 7);  // also beyond a page
      for (int row = 0; row < count_of(rows); ++row) {
        for (int i = 0; i < tokens; ++i) {
          rows[row].push_back(random_token());
          append(cache, row, rows[row].back());
        }
      }
      const int wrong = random_int(random_, 0, count_of(rows) - 1);
      const int forgotten = random_int(random_, 0, std::min(5, cache.length(wrong)));
      cache.forget(wrong, forgotten);
      rows[wrong].resize(rows[wrong].size() - forgotten);
      std::vector<int> sources(random_int(random_, 1, kSize.rows + 1));
      std::vector<std::vector<Token>> next;
      for (int& source : sources) {
        source = random_int(random_, 0, count_of(rows) - 1);
        next.push_back(rows[source]);
      }
      cache.reorder(sources);
      rows = std::move(next);
      ASSERT_EQ(cache.rows(), count_of(rows));
      for (int row = 0; row < count_of(rows); ++row) expect_tokens(cache, row, rows[row]);
    }
  }
}

// Rows of one sequence get the next tokens at once, on several threads.
TEST_F(KvCacheTest, RowsThatShareAPageWriteToTheirOwn) {
  Bench bench(3);
  KvCache cache(kSize);
  std::vector<std::vector<Token>> rows(kSize.rows);
  for (int t = 0; t < 70; ++t) append(cache, 0, rows[0].emplace_back(random_token()));
  cache.reorder(std::vector<int>(kSize.rows, 0));
  EXPECT_EQ(cache.keys(1, 0, 64), cache.keys(0, 0, 64)) << "shared until one of them goes on";
  for (int row = 1; row < kSize.rows; ++row) rows[row] = rows[0];
  const std::vector<int> offsets = {0, 2, 2, 5, 6, 7};  // one of them gets none
  const LooseMatrix keys(random_, 7, kSize.heads * kSize.d_k, 2), values(random_, 7, kSize.heads * kSize.d_v);
  const Segments tokens = {kSize.rows, 3, offsets};
  cache.append(tokens, heads_in_columns<const float>(keys.view(), tokens, kSize.d_k),
               heads_in_columns<const float>(values.view(), tokens, kSize.d_v), bench.threads);
  for (int row = 0; row < kSize.rows; ++row) {
    for (int t = offsets[row]; t < offsets[row + 1]; ++t) {
      const float *key = keys.view().row(t), *value = values.view().row(t);
      rows[row].push_back({{key, key + kSize.heads * kSize.d_k}, {value, value + kSize.heads * kSize.d_v}});
    }
    expect_tokens(cache, row, rows[row]);
  }
  EXPECT_EQ(cache.keys(1, 0, 0), cache.keys(0, 0, 0)) << "a full page stays shared";
}

TEST_F(KvCacheTest, BorrowedMemoryOfUnevenSequencesIsEnough) {
  const std::vector<int> offsets = {0, 1, 66, 66, 130, 140};
  const Segments tokens = {kSize.rows, 65, offsets};
  Buffer storage(KvCache::float_count(kSize, tokens));
  EXPECT_EQ(storage.size(), 5 * KvCache::float_count(kSize, {1, 1})) << "pages: 1, 2, 0, 1, 1";
  KvCache cache(kSize, {storage.data(), storage.size()});
  const LooseMatrix keys(random_, 140, kSize.heads * kSize.d_k), values(random_, 140, kSize.heads * kSize.d_v);
  Bench bench;
  cache.append(tokens, heads_in_columns<const float>(keys.view(), tokens, kSize.d_k),
               heads_in_columns<const float>(values.view(), tokens, kSize.d_v), bench.threads);
  for (int row = 0; row < kSize.rows; ++row) EXPECT_EQ(cache.length(row), tokens.length(row));
}

// As callers come and go: rows of other caches join, shared pages among them, and any rows leave.
TEST_F(KvCacheTest, RowsOfOthersFollowItsOwn) {
  KvCache cache(kSize);
  cache.reorder({});
  std::vector<std::vector<Token>> rows;
  for (int round = 0; round < 60; ++round) {
    KvCache::Size size = kSize;
    size.rows = random_int(random_, 1, 3);
    size.capacity = random_int(random_, 70, 300);
    KvCache joining(size);
    std::vector<std::vector<Token>> their_rows(size.rows);
    const int tokens = random_int(random_, 0, 70);
    for (int t = 0; t < tokens; ++t) append(joining, 0, their_rows[0].emplace_back(random_token()));
    const bool is_shared = random_int(random_, 0, 1) == 1;
    if (is_shared) joining.reorder(std::vector<int>(size.rows, 0));
    for (int row = 1; row < size.rows && is_shared; ++row) their_rows[row] = their_rows[0];

    cache.join(std::move(joining));
    rows.insert(rows.end(), their_rows.begin(), their_rows.end());
    EXPECT_GE(cache.size().capacity, size.capacity);
    std::vector<int> stay;
    std::vector<std::vector<Token>> next;
    for (int row = 0; row < count_of(rows); ++row) {
      ASSERT_NO_FATAL_FAILURE(expect_tokens(cache, row, rows[row])) << "round " << round;
      append(cache, row, rows[row].emplace_back(random_token()));
      if (random_int(random_, 0, 3) == 0) continue;
      stay.push_back(row);
      next.push_back(rows[row]);
    }
    cache.reorder(stay);
    rows = std::move(next);
  }
  for (int row = 0; row < count_of(rows); ++row) expect_tokens(cache, row, rows[row]);
}

TEST_F(KvCacheTest, APermutationCopiesNothing) {
  std::vector<Token> tokens;
  for (int row = 0; row < kSize.rows; ++row) append(cache_, row, tokens.emplace_back(random_token()));
  std::vector<const float*> places;
  for (int row = 0; row < kSize.rows; ++row) places.push_back(cache_.keys(row, 0, 0));
  cache_.reorder(std::vector<int>{3, 4, 0, 1, 2});
  for (int row = 0; row < kSize.rows; ++row) {
    const auto source = static_cast<std::size_t>((row + 3) % 5);
    EXPECT_EQ(cache_.keys(row, 0, 0), places[source]);
    expect_tokens(cache_, row, {tokens[source]});
  }
}

TEST_F(KvCacheTest, RefusesMoreTokensThanFit) {
  const int capacity = kSize.capacity;
  for (int t = 0; t < capacity; ++t) append(cache_, 0, random_token());
  EXPECT_EQ(code_of([&] { append(cache_, 0, random_token()); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(cache_.length(0), capacity);
  Bench bench;
  const std::vector<float> token(kSize.heads * kSize.d_v);
  const ConstHeads heads = {.data = token.data()};
  EXPECT_EQ(code_of([&] { cache_.append(Segments{kSize.rows, 1}, heads, heads, bench.threads); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(cache_.length(1), 0) << "all rows or none";
}

TEST(KvCacheSizeTest, IsZeroWithoutRowsOrTokens) {
  EXPECT_EQ(KvCache::float_count({0, 3, 5, 19, 40}), 0u);
  EXPECT_EQ(KvCache::float_count({5, 3, 5, 19, 0}), 0u);
  KvCache cache({0, 3, 5, 19, 40});
  EXPECT_EQ(cache.rows(), 0);
  // The shapes of an empty batch are those of a pass: as many keys as there is room for.
  EXPECT_EQ(cache.max_length(), 40);
  cache.reorder({});
  EXPECT_EQ(cache.rows(), 0);
}

TEST_F(KvCacheTest, ASharedPageStaysAsItIs) {
  KvCache::Size size = kSize;
  size.rows = 1;
  std::vector<Token> tokens;
  KvCache reader(size);
  {
    KvCache writer(size);
    for (int t = 0; t < 130; ++t) append(writer, 0, tokens.emplace_back(random_token()));
    for (int page = 0; page < 2; ++page) reader.adopt_page(0, writer.share_page(0, page));
    expect_tokens(reader, 0, {tokens.begin(), tokens.begin() + 128});
    // The writer goes on from the middle of a page that the reader has too, and reuses what it gives up.
    writer.forget(0, 100);
    std::vector<Token> other(tokens.begin(), tokens.begin() + 30);
    for (int t = 0; t < 110; ++t) append(writer, 0, other.emplace_back(random_token()));
    expect_tokens(writer, 0, other);
    expect_tokens(reader, 0, {tokens.begin(), tokens.begin() + 128});
  }
  std::vector<Token> longer(tokens.begin(), tokens.begin() + 128);
  for (int t = 0; t < 10; ++t) append(reader, 0, longer.emplace_back(random_token()));
  expect_tokens(reader, 0, longer);
  EXPECT_EQ(code_of([&] { reader.adopt_page(0, reader.share_page(0, 0)); }), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace transformer
