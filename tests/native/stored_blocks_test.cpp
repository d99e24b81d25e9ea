// src/weights: numbers in blocks, as GGUF files store them, against naive twins; what the engine keeps of them as it
// is.
#include <gmock/gmock.h>

#include <cmath>

#include "matrices/int4_matrix.h"
#include "support/bench.h"
#include "support/errors.h"
#include "support/naive_blocks.h"
#include "support/naive_tensors.h"
#include "support/product.h"
#include "support/random_data.h"
#include "weights/loader.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Bytes = std::vector<std::uint8_t>;

constexpr StoredType kBlockTypes[] = {StoredType::kQ4_0, StoredType::kQ4_1, StoredType::kQ5_0, StoredType::kQ5_1,
                                      StoredType::kQ8_0, StoredType::kQ2K,  StoredType::kQ3K,  StoredType::kQ4K,
                                      StoredType::kQ5K,  StoredType::kQ6K};

const char* name_of(StoredType type) {
  for (const auto& [name, value] : enum_names(StoredType())) {
    if (value == type) return name;
  }
  return "";
}

// Random blocks; `large`: with scales up to 2^15, else like those of weights.
Bytes random_blocks(Random& random, StoredType type, std::size_t blocks, bool large) {
  const std::size_t size = block_of(type).bytes;
  Bytes bytes(blocks * size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next() >> 32);
  for (std::size_t block = 0; block < blocks; ++block) {
    for (const int at : halves_of(type)) {
      std::uint8_t& high = bytes[block * size + at + 1];
      high = static_cast<std::uint8_t>(large ? high & 0xbf : (high & 0x83) | 0x1c);
    }
  }
  return bytes;
}

std::vector<float> naive_numbers(StoredType type, const Bytes& bytes) {
  std::vector<float> numbers;
  for (std::size_t at = 0; at < bytes.size(); at += block_of(type).bytes) {
    for (const double number : naive_block(type, bytes.data() + at)) numbers.push_back(static_cast<float>(number));
  }
  return numbers;
}

TEST(StoredBlocksTest, EveryTypeIsThatOfItsTwin) {
  Random random(1);
  for (const StoredType type : kBlockTypes) {
    for (const bool large : {false, true}) {
      const Bytes bytes = random_blocks(random, type, 200, large);
      const std::vector<float> expected = naive_numbers(type, bytes);
      ASSERT_EQ(expected.size(), 200 * block_of(type).numbers);
      std::vector<float> floats(expected.size());
      to_floats(bytes, type, floats);
      for (std::size_t i = 0; i < floats.size(); ++i) ASSERT_EQ(floats[i], expected[i]) << name_of(type) << " at " << i;
    }
  }
}

// A row of w, as a matrix that is kept in that dtype has it.
std::vector<float> row_of(const Matrix& matrix, int index) {
  std::vector<float> row(static_cast<std::size_t>(matrix.depth()));
  matrix.copy_column(index, row.data());
  return row;
}

TEST(StoredBlocksTest, ComeInPiecesOfWholeBlocks) {
  Random random(2);
  for (const StoredType type : kBlockTypes) {
    const auto [numbers, size] = block_of(type);
    const Bytes bytes = random_blocks(random, type, 12, false);
    const std::vector<float> expected = naive_numbers(type, bytes);
    WeightsLoader loader{Weights()};
    const int cols = static_cast<int>(4 * numbers);
    loader.declare("w", {3, cols}, type);
    for (std::size_t block = 0; block < 12;) {
      const std::size_t count = std::min<std::size_t>(random_int(random, 1, 5), 12 - block);
      loader.write("w", block * numbers, std::span(bytes).subspan(block * size, count * size));
      block += count;
    }
    const auto w = loader.complete().take_matrix("w", 3, cols);
    for (int row = 0; row < 3; ++row) {
      const std::vector<float> kept = row_of(*w, row);
      for (int i = 0; i < cols; ++i) ASSERT_EQ(kept[i], expected[row * cols + i]) << name_of(type);
    }
  }
}

TEST(StoredBlocksTest, PiecesThatAreNoBlocksAreRefused) {
  const Bytes bytes(4 * 34);
  WeightsLoader loader{Weights()};
  loader.declare("w", {2, 64}, StoredType::kQ8_0);
  const auto write = [&](std::size_t first, std::size_t size) {
    return message_of([&] { loader.write("w", first, std::span(bytes).first(size)); });
  };
  for (const auto& [first, size] :
       {std::pair<std::size_t, std::size_t>{0, 33}, {0, 35}, {16, 34}, {128, 34}, {32, 136}, {SIZE_MAX - 31, 34}}) {
    EXPECT_THAT(write(first, size), HasSubstr("do not fit")) << first << ", " << size;
  }
  loader.write("w", 0, std::span(bytes).first(34));
  EXPECT_THAT(message_of([&] { loader.complete(); }), HasSubstr("ends after 32 of 128"));
}

// A tensor whose size is no multiple of a block's cannot be filled.
TEST(StoredBlocksTest, APartialBlockIsNeverRead) {
  const Bytes bytes(210);
  WeightsLoader loader{Weights()};
  loader.declare("w", {100}, StoredType::kQ6K);
  EXPECT_THAT(message_of([&] { loader.write("w", 0, bytes); }), HasSubstr("do not fit"));
}

TEST(StoredBlocksTest, Int4KeepsIntegersAndScalesOfQ4_0) {
  Random random(3);
  for (const bool large : {false, true}) {
    for (const int blocks : {1, 3, 16}) {
      const int rows = 19, cols = 32 * blocks;
      const Bytes bytes = random_blocks(random, StoredType::kQ4_0, static_cast<std::size_t>(rows) * blocks, large);
      const std::vector<float> expected = naive_numbers(StoredType::kQ4_0, bytes);
      WeightsLoader loader{Weights(Dtype::kInt4)};
      loader.declare("w", {rows, cols}, StoredType::kQ4_0);
      loader.write("w", 0, std::span(bytes).first(18));
      loader.write("w", 32, std::span(bytes).subspan(18));
      const auto w = loader.complete().take_matrix("w", rows, cols);
      for (int row = 0; row < rows; ++row) {
        const std::vector<float> kept = row_of(*w, row);
        for (int i = 0; i < cols; ++i) ASSERT_EQ(kept[i], expected[row * cols + i]) << row << ", " << i;
      }
      const std::vector<int> chosen = {3, 18, 0, 3};
      const auto selected = w->select_columns(chosen);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(row_of(*selected, i), row_of(*w, chosen[i]));
    }
  }
}

// The product of rows that are rounded to integers themselves: sums of groups in integers, times the scales of the
// file.
TEST(StoredBlocksTest, ProductsWithKeptBlocksAreThoseOfTheirTwin) {
  Random random(4);
  const int rows = 37, blocks = 5, cols = 32 * blocks;
  const Bytes bytes = random_blocks(random, StoredType::kQ4_0, std::size_t{rows} * blocks, false);
  WeightsLoader loader{Weights(Dtype::kInt4)};
  loader.declare("w", {rows, cols}, StoredType::kQ4_0);
  loader.write("w", 0, bytes);
  const auto w = loader.complete().take_matrix("w", rows, cols);
  Bench bench(3);
  for (const int m : {1, 4, 9}) {
    const LooseMatrix a(random, m, cols, 1, 2), c(m, rows, 3);
    multiply(a.view(), *w, c.view(), {}, bench.workspace);
    EXPECT_TRUE(c.surroundings_untouched());
    for (int row = 0; row < m; ++row) {
      const float* x = a.view().row(row);
      float largest = 0;
      for (int k = 0; k < cols; ++k) largest = std::max(largest, std::abs(x[k]));
      const float scale = largest / 127.0f;
      for (int col = 0; col < rows; ++col) {
        float total = 0;
        for (int block = 0; block < blocks; ++block) {
          const std::uint8_t* stored = bytes.data() + 18 * (col * blocks + block);
          int sum = 0;
          for (int i = 0; i < 32; ++i) {
            const int q = (i < 16 ? stored[2 + i] % 16 : stored[2 + i - 16] / 16) - 8;
            sum += static_cast<int>(std::nearbyint(x[32 * block + i] * (1.0f / scale))) * q;
          }
          total += static_cast<float>(sum) * static_cast<float>(naive_half(stored));
        }
        ASSERT_EQ(c.view().row(row)[col], total * scale) << row << ", " << col;
      }
    }
  }
}

TEST(StoredBlocksTest, ScalesThatAreNotFiniteAreRefused) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kInt8, Dtype::kInt4}) {
    for (const int high : {0x7c, 0x7e, 0xfc}) {
      Bytes bytes(36);
      bytes[19] = static_cast<std::uint8_t>(high);
      bytes[20] = 0x99;
      WeightsLoader loader{Weights(dtype)};
      loader.declare("w", {2, 32}, StoredType::kQ4_0);
      loader.write("w", 0, bytes);
      const Error error = error_of([&] { loader.complete().take_matrix("w", 2, 32); });
      EXPECT_EQ(error.code(), ErrorCode::kBadCheckpoint);
    }
  }
}

TEST(StoredBlocksTest, RowsInPairsAreTakenApart) {
  Random random(5);
  const int heads = 3, head_rows = 6, rows = heads * head_rows, cols = 64;
  for (const StoredType type : {StoredType::kF32, StoredType::kQ8_0, StoredType::kQ4_0}) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kInt8, Dtype::kInt4}) {
      const std::size_t row_bytes = bytes_of(type, cols);
      Bytes bytes = random_blocks(random, StoredType::kQ8_0, 0, false);
      if (type == StoredType::kF32) {
        const std::vector<float> numbers = random_floats(random, std::size_t{rows} * cols);
        bytes.resize(numbers.size() * 4);
        std::memcpy(bytes.data(), numbers.data(), bytes.size());
      } else {
        bytes = random_blocks(random, type, std::size_t{rows} * cols / 32, false);
      }
      Bytes in_order(bytes.size());
      for (int row = 0; row < rows; ++row) {
        const int head = row / head_rows, within = row % head_rows;
        const int from = head * head_rows + 2 * (within % (head_rows / 2)) + within / (head_rows / 2);
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from * row_bytes), row_bytes,
                    in_order.begin() + static_cast<std::ptrdiff_t>(row * row_bytes));
      }
      WeightsLoader loader{Weights(dtype)};
      loader.declare("paired", {rows, cols}, type);
      loader.pair_rows("paired", head_rows, cols);
      const std::size_t block = block_of(type).bytes;
      for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t size = std::min(block * random_int(random, 1, 9), bytes.size() - at);
        loader.write("paired", at / block * block_of(type).numbers, std::span(bytes).subspan(at, size));
        at += size;
      }
      loader.declare("plain", {rows, cols}, type);
      loader.write("plain", 0, in_order);
      const auto paired = loader.complete().take_matrix("paired", rows, cols);
      const auto plain = loader.complete().take_matrix("plain", rows, cols);
      for (int row = 0; row < rows; ++row) ASSERT_EQ(row_of(*paired, row), row_of(*plain, row)) << name_of(type);
    }
  }
}

TEST(StoredBlocksTest, ABiasIsInPairsToo) {
  const std::vector<float> numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  Bytes bytes(32);
  std::memcpy(bytes.data(), numbers.data(), 32);
  WeightsLoader loader{Weights()};
  loader.declare("b", {8}, StoredType::kF32);
  loader.pair_rows("b", 4, 1);
  loader.write("b", 0, bytes);
  EXPECT_THAT(std::span(loader.complete().take("b", {8}).data(), 8), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  for (const int head_rows : {-2, 0, 3, 6, 16}) {
    loader.declare("c", {8}, StoredType::kF32);
    EXPECT_THAT(message_of([&] { loader.pair_rows("c", head_rows, 1); }), HasSubstr("no heads of")) << head_rows;
    loader.drop("c");
  }
}

TEST(StoredBlocksTest, ANumberIsAddedToEach) {
  Bytes bytes(18, 0);
  bytes[1] = 0x3c;  // 1
  bytes[2] = 0x59;
  WeightsLoader loader{Weights()};
  loader.declare("w", {32}, StoredType::kQ4_0);
  loader.add("w", 0.25);
  loader.write("w", 0, bytes);
  const Tensor w = loader.complete().take("w", {32});
  EXPECT_EQ(w.data()[0], 1.25f);
  EXPECT_EQ(w.data()[16], -2.75f);
  EXPECT_EQ(w.data()[1], -7.75f);
}

}  // namespace
}  // namespace transformer
