// src/weights/packed_words: the layouts of GPTQ, AutoAWQ and compressed-tensors, packed by a naive twin.
#include "weights/packed_words.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "support/errors.h"
#include "support/naive_blocks.h"
#include "support/random_data.h"
#include "weights/loader.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

using Bytes = std::vector<std::uint8_t>;

template <class T>
void append(Bytes& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A matrix of integers, zero points and scales, and how it is stored.
struct Packed {
  PackedLayout layout;
  Bytes integers, scales, zeros, order, shape;

  void hold(WeightsLoader& loader) const {
    for (const auto& [name, bytes] : {std::pair{layout.integers, &integers},
                                      {layout.scales, &scales},
                                      {layout.zeros, &zeros},
                                      {layout.order, &order},
                                      {layout.shape, &shape}}) {
      if (name.empty()) continue;
      loader.hold(name, static_cast<double>(bytes->size()));
      const std::size_t half = bytes->size() / 2;
      loader.write(name, 0, std::span(*bytes).first(half));
      loader.write(name, half, std::span(*bytes).subspan(half));
    }
  }
};

struct Options {
  bool transposed = false, inputs_first = false, has_zeros = true, has_order = false, has_shape = false;
  int group_size = 16;
};

class Twin {
 public:
  Twin(Random& random, PackedKind kind, int outputs, int inputs, const Options& options)
      : kind_(kind), outputs_(outputs), inputs_(inputs), options_(options) {
    groups_ = (inputs + options.group_size - 1) / options.group_size;
    for (int i = 0; i < outputs * inputs; ++i) integers_.push_back(random_int(random, 0, 15));
    for (int i = 0; i < outputs * groups_; ++i) {
      zeros_.push_back(options.has_zeros ? random_int(random, 0, 15) : 8);
      scales_.push_back(
          static_cast<std::uint16_t>(random_int(random, 0x2000, 0x23ff) | random_int(random, 0, 1) << 15));
    }
    for (int k = 0; k < inputs; ++k) {
      order_.push_back(options.has_order ? random_int(random, 0, groups_ - 1) : k / options.group_size);
    }
  }

  float number(int output, int input) const {
    const int at = output * groups_ + order_[input];
    const std::uint8_t bytes[] = {static_cast<std::uint8_t>(scales_[at]), static_cast<std::uint8_t>(scales_[at] >> 8)};
    return static_cast<float>((integers_[output * inputs_ + input] - zeros_[at]) * naive_half(bytes));
  }

  Packed packed() const {
    Packed packed;
    packed.layout = {kind_,
                     options_.transposed,
                     options_.inputs_first,
                     inputs_,
                     outputs_,
                     options_.group_size,
                     StoredType::kF16,
                     "w.q",
                     "w.s",
                     options_.has_zeros ? "w.z" : "",
                     options_.has_order ? "w.g" : "",
                     options_.has_shape ? "w.n" : ""};
    const bool is_awq = kind_ == PackedKind::kAwq, is_compressed = kind_ == PackedKind::kCompressed;
    const auto code = [this](int output, int input) { return integers_[output * inputs_ + input]; };
    const auto zero = [this](int output, int group) {
      return output < outputs_ ? (zeros_[output * groups_ + group] + (kind_ == PackedKind::kGptq ? 15 : 0)) % 16 : 0;
    };
    if (is_awq) {
      words(packed.integers, inputs_, outputs_ / 8,
            [&](int k, int word, int i) { return code(8 * word + kAwq[i], k); });
    } else if (is_compressed && !options_.transposed) {
      words(packed.integers, outputs_, inputs_ / 8, [&](int o, int word, int i) { return code(o, 8 * word + i); });
    } else {
      words(packed.integers, inputs_ / 8, outputs_, [&](int word, int o, int i) { return code(o, 8 * word + i); });
    }
    const int packed_outputs = (outputs_ + 7) / 8;
    if (is_compressed) {
      words(packed.zeros, packed_outputs, groups_, [&](int word, int g, int i) { return zero(8 * word + i, g); });
    } else {
      words(packed.zeros, groups_, packed_outputs,
            [&](int g, int word, int i) { return zero(8 * word + (is_awq ? kAwq[i] : i), g); });
    }
    const bool by_output = is_compressed && !options_.transposed;
    for (int i = 0; i < outputs_ * groups_; ++i) {
      append(packed.scales, by_output ? scales_[i] : scales_[i % outputs_ * groups_ + i / outputs_]);
    }
    for (const int group : order_) append<std::int64_t>(packed.order, group);
    append<std::int64_t>(packed.shape, options_.inputs_first ? inputs_ : outputs_);
    append<std::int64_t>(packed.shape, options_.inputs_first ? outputs_ : inputs_);
    return packed;
  }

 private:
  static constexpr int kAwq[] = {0, 2, 4, 6, 1, 3, 5, 7};

  static void words(Bytes& to, int rows, int cols, const std::function<int(int, int, int)>& at) {
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col) {
        std::uint32_t word = 0;
        for (int i = 0; i < 8; ++i) word |= static_cast<std::uint32_t>(at(row, col, i)) << (4 * i);
        append(to, word);
      }
    }
  }

  PackedKind kind_;
  int outputs_, inputs_, groups_;
  Options options_;
  std::vector<int> integers_, zeros_, order_;
  std::vector<std::uint16_t> scales_;
};

std::vector<Options> options_of(PackedKind kind) {
  std::vector<Options> all;
  for (const bool has_order : {false, true}) {
    for (const bool inputs_first : {false, true}) {
      for (const int group_size : {8, 32, 64}) {
        Options options;
        options.inputs_first = inputs_first;
        options.has_order = has_order && kind != PackedKind::kAwq;
        options.group_size = group_size;
        all.push_back(options);
        options.has_zeros = kind != PackedKind::kCompressed;
        options.transposed = options.has_shape = kind == PackedKind::kCompressed;
        all.push_back(options);
      }
    }
  }
  return all;
}

TEST(PackedWordsTest, EveryLayoutIsThatOfItsTwin) {
  Random random(1);
  for (const PackedKind kind : {PackedKind::kCompressed, PackedKind::kGptq, PackedKind::kGptqV2, PackedKind::kAwq}) {
    for (const Options& options : options_of(kind)) {
      const Twin twin(random, kind, 24, 64, options);
      WeightsLoader loader{Weights()};
      const Packed packed = twin.packed();
      packed.hold(loader);
      const int rows = options.inputs_first ? 64 : 24, cols = options.inputs_first ? 24 : 64;
      loader.unpack("w", {rows, cols}, packed.layout, 0);
      loader.unpack("part", {5 * cols}, packed.layout, 2);
      const auto w = loader.complete().take_matrix("w", rows, cols);
      const Tensor part = loader.complete().take("part", {5 * cols});
      std::vector<float> kept(static_cast<std::size_t>(cols));
      for (int row = 0; row < rows; ++row) {
        w->copy_column(row, kept.data());
        for (int col = 0; col < cols; ++col) {
          const float expected = options.inputs_first ? twin.number(col, row) : twin.number(row, col);
          ASSERT_EQ(kept[col], expected) << row << ", " << col;
          if (row >= 2 && row < 7) {
            ASSERT_EQ(part.data()[(row - 2) * cols + col], expected);
          }
        }
      }
    }
  }
}

// Where all groups are whole, and the zero point is 8: whether the file says so or not.
TEST(PackedWordsTest, Int4KeepsIntegersAndScales) {
  Random random(2);
  for (const PackedKind kind : {PackedKind::kCompressed, PackedKind::kGptq}) {
    for (const int group_size : {32, 64}) {
      Options options;
      options.group_size = group_size;
      options.has_zeros = false;
      const Twin twin(random, kind, 24, 128, options);
      Packed packed = twin.packed();
      if (kind == PackedKind::kGptq) packed.layout.zeros = "w.z";
      WeightsLoader loader{Weights(Dtype::kInt4)};
      packed.hold(loader);
      loader.unpack("w", {20, 128}, packed.layout, 4);
      const auto w = loader.complete().take_matrix("w", 20, 128);
      float row[128];
      for (int i = 0; i < 20; ++i) {
        w->copy_column(i, row);
        for (int k = 0; k < 128; ++k) ASSERT_EQ(row[k], twin.number(4 + i, k));
      }
    }
  }
}

Packed some(const Options& options) {
  Random random(3);
  return Twin(random, PackedKind::kGptq, 16, 32, options).packed();
}

Error refused(const Packed& packed, const Shape& shape = {16, 32}, int first_row = 0) {
  return error_of([&] {
    WeightsLoader loader{Weights()};
    packed.hold(loader);
    loader.unpack("w", shape, packed.layout, first_row);
  });
}

TEST(PackedWordsTest, BadPartsAreRefused) {
  Options options;
  options.has_order = options.has_shape = true;
  Packed packed = some(options);
  const std::uint16_t infinite = 0x7c00;
  std::memcpy(packed.scales.data() + 6, &infinite, 2);
  EXPECT_THAT(refused(packed).what(), HasSubstr("'w.s' holds an infinite number"));
  for (const std::int64_t group : {std::int64_t{2}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    packed = some(options);
    std::memcpy(packed.order.data() + 24, &group, 8);
    EXPECT_THAT(refused(packed).what(), HasSubstr("names the group " + std::to_string(group) + " of 2"));
    EXPECT_EQ(refused(packed).code(), ErrorCode::kBadCheckpoint);
  }
  packed = some(options);
  packed.shape[0] = 15;
  EXPECT_THAT(refused(packed).what(), HasSubstr("'w.n' holds [15,32], but the integers are of a matrix [16,32]"));
}

TEST(PackedWordsTest, PartsOfOtherSizesAreRefused) {
  Options options;
  options.has_order = options.has_shape = true;
  for (Bytes Packed::* part : {&Packed::integers, &Packed::scales, &Packed::zeros, &Packed::order, &Packed::shape}) {
    Packed packed = some(options);
    (packed.*part).pop_back();
    EXPECT_EQ(refused(packed).code(), ErrorCode::kInvalidArgument);
  }
  for (const auto& [shape, first] : {std::pair<Shape, int>{{16, 33}, 0}, {{16, 32}, 1}, {{1, 32}, 16}, {{1, 32}, -1}}) {
    EXPECT_EQ(refused(some(options), shape, first).code(), ErrorCode::kInvalidArgument);
  }
  WeightsLoader loader{Weights()};
  loader.hold("w.q", 8);
  const Bytes bytes(9);
  EXPECT_EQ(code_of([&] { loader.write("w.q", 0, bytes); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { loader.write("w.q", 4, std::span(bytes).first(4)); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { loader.unpack("w", {16, 32}, some(options).layout, 0); }), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace transformer
