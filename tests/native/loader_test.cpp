// src/weights/loader: bytes of every number format, in pieces, quantised, and as views of other tensors.
#include "weights/loader.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/gemm_int8.h"
#include "kernels/panels.h"
#include "matrices/int8_matrix.h"
#include "support/errors.h"
#include "support/naive_tensors.h"
#include "support/random_data.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

using Bytes = std::vector<std::uint8_t>;

template <class T>
Bytes bytes_of_numbers(const std::vector<T>& numbers) {
  Bytes bytes(numbers.size() * sizeof(T));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

Bytes bytes_of_tensor(const Tensor& tensor) {
  return bytes_of_numbers(std::vector<float>(tensor.data(), tensor.data() + tensor.size()));
}

template <class F>
void expect_refused(const F& call, ErrorCode code, const char* message) {
  const Error error = error_of(call);
  EXPECT_EQ(error.code(), code);
  EXPECT_THAT(error.what(), HasSubstr(message));
}

// A vector stored with those bytes.
std::vector<float> load(StoredType type, const Bytes& bytes) {
  WeightsLoader loader{Weights()};
  const int size = static_cast<int>(bytes.size() / bytes_of(type));
  loader.declare("x", {size}, type);
  loader.write("x", 0, bytes);
  const Tensor x = loader.complete().take("x", {size});
  return {x.data(), x.data() + x.size()};
}

TEST(LoaderTest, ReadsEveryNumberFormat) {
  EXPECT_THAT(load(StoredType::kF32, bytes_of_numbers<float>({1.5f, -0.0f, 3e38f})), ElementsAre(1.5f, -0.0f, 3e38f));
  EXPECT_THAT(load(StoredType::kF64, bytes_of_numbers<double>({1.0 / 3, -1e-50})), ElementsAre(1.0f / 3, -0.0f));
  EXPECT_THAT(load(StoredType::kBf16, bytes_of_numbers<std::uint16_t>({0x3f80, 0xc049, 0x0001})),
              ElementsAre(1.0f, -3.140625f, std::bit_cast<float>(std::uint32_t{0x10000})));
}

// Every finite float16: its sign, exponent and mantissa by the definition of the format.
TEST(LoaderTest, ReadsEveryFloat16) {
  std::vector<std::uint16_t> halves;
  for (int bits = 0; bits < 1 << 16; ++bits) {
    if ((bits >> 10 & 31) != 31) halves.push_back(static_cast<std::uint16_t>(bits));
  }
  const std::vector<float> floats = load(StoredType::kF16, bytes_of_numbers(halves));
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const int exponent = halves[i] >> 10 & 31, mantissa = halves[i] & 1023;
    const double magnitude = exponent == 0 ? mantissa * 0x1p-24 : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(floats[i], halves[i] >> 15 ? -magnitude : magnitude) << halves[i];
    ASSERT_EQ(std::signbit(floats[i]), halves[i] >> 15 == 1) << halves[i];
  }
}

TEST(LoaderTest, RefusesAFloat16ThatIsNotFinite) {
  for (const auto& [bits, word] :
       {std::pair{0x7c00, "infinite"}, std::pair{0xfc00, "infinite"}, std::pair{0x7e00, "NaN"}}) {
    const Bytes bytes = bytes_of_numbers<std::uint16_t>({static_cast<std::uint16_t>(bits)});
    expect_refused([&bytes = bytes] { load(StoredType::kF16, bytes); }, ErrorCode::kBadCheckpoint, word);
  }
}

TEST(LoaderTest, WritesATensorInPieces) {
  Random random(1);
  for (const Shape& shape : {Shape{37}, Shape{5, 19}, Shape{2, 3, 4}}) {
    const Tensor expected = random_tensor(random, shape);
    const Bytes bytes = bytes_of_tensor(expected);
    WeightsLoader loader{Weights()};
    loader.declare("x", shape, StoredType::kF32, MatrixPurpose::kTable);
    for (std::size_t first = 0; first < expected.size();) {
      const std::size_t count = std::min<std::size_t>(random_int(random, 0, 9), expected.size() - first);
      loader.write("x", first, std::span(bytes).subspan(first * 4, count * 4));
      first += count;
    }
    EXPECT_TRUE(same_bits(loader.complete().take("x", shape), expected)) << to_string(shape);
  }
}

// Matrices, also those made of a view, but not vectors and tables whose rows are added.
TEST(LoaderTest, KeepsMatricesIn16BitsIfAsked) {
  const Bytes bytes = bytes_of_numbers<std::uint16_t>({0x3c00, 0x4000, 0xc200, 0x0001, 0x8000, 0x7bff});
  const std::vector<float> numbers = load(StoredType::kF16, bytes);
  for (const bool keeps : {false, true}) {
    WeightsLoader loader{Weights(keeps ? Dtype::kAuto : Dtype::kF32)};
    for (const char* name : {"fc1.weight", "positions.weight"}) {
      loader.declare(name, {2, 3}, StoredType::kF16, testing::purpose_of(name));
      loader.write(name, 0, bytes);
    }
    loader.declare("source", {6}, StoredType::kF16);
    loader.write("source", 0, bytes);
    loader.view("fc2.weight", {3, 2}, "source", {{3, 2}, {1, 3}, 0});
    Weights& weights = loader.complete();
    const std::unique_ptr<Matrix> fc1 = weights.take_matrix("fc1.weight", 2, 3),
                                  fc2 = weights.take_matrix("fc2.weight", 3, 2);
    EXPECT_EQ(weights.bytes_taken(), fc1->bytes() + fc2->bytes());
    EXPECT_EQ(fc1->bytes(), (keeps ? 2 : 4) * 3 * std::size_t{kPanel});
    EXPECT_EQ(fc2->bytes(), (keeps ? 2 : 4) * 2 * std::size_t{kPanel});
    EXPECT_THAT(std::span(weights.take("positions.weight", {2, 3}).data(), 6), ElementsAreArray(numbers));
    float row[3];
    fc1->copy_column(1, row);
    EXPECT_THAT(row, ElementsAre(numbers[3], numbers[4], numbers[5]));
    fc2->copy_column(2, row);
    EXPECT_THAT(std::span(row, 2), ElementsAre(numbers[2], numbers[5]));
    EXPECT_THAT(std::span(weights.take("source", {6}).data(), 6), ElementsAreArray(numbers));
  }
  WeightsLoader in_8_bits{Weights(Dtype::kInt8)};
  in_8_bits.declare("fc1.weight", {2, 3}, StoredType::kF16);
  in_8_bits.write("fc1.weight", 0, bytes);
  EXPECT_EQ(in_8_bits.complete().take_matrix("fc1.weight", 2, 3)->bytes(), Int8Matrix(3, 2, int8_dot_group()).bytes());
}

TEST(LoaderTest, RefusesAMatrixIn16BitsThatIsNotFinite) {
  for (const auto& [bits, word] : {std::pair{0x7f80, "infinite"}, std::pair{0xffc0, "NaN"}}) {
    const Bytes bytes = bytes_of_numbers<std::uint16_t>({0x3f80, static_cast<std::uint16_t>(bits), 0});
    WeightsLoader loader{Weights(Dtype::kAuto)};
    loader.declare("fc1.weight", {1, 3}, StoredType::kBf16);
    loader.write("fc1.weight", 0, bytes);
    expect_refused([&] { loader.complete().take_matrix("fc1.weight", 1, 3); }, ErrorCode::kBadCheckpoint, word);
  }
}

// q * scale, each scale for `run` elements, then the first again.
TEST(LoaderTest, MultipliesIntegersByTheirScales) {
  Random random(2);
  std::vector<std::int8_t> integers(24);
  for (std::int8_t& q : integers) q = static_cast<std::int8_t>(random_int(random, -128, 127));
  const Bytes bytes = bytes_of_numbers(integers);
  for (const auto& [count, run] :
       {std::pair{4, 6}, std::pair{6, 4}, std::pair{1, 24}, std::pair{6, 1}, std::pair{2, 3}}) {
    const std::vector<float> scales = random_floats(random, count);
    WeightsLoader loader{Weights()};
    loader.declare("x", {24}, StoredType::kI8);
    loader.scale("x", {scales, static_cast<std::size_t>(run)});
    for (std::size_t first : {0, 7, 14}) loader.write("x", first, std::span(bytes).subspan(first, first < 14 ? 7 : 10));
    const Tensor x = loader.complete().take("x", {24});
    for (int i = 0; i < 24; ++i) ASSERT_EQ(x.data()[i], integers[i] * scales[i / run % count]) << "run " << run;
  }
}

// Longer than the pieces in which a view is gathered.
TEST(LoaderTest, ViewsTransposeAndSelect) {
  Random random(3);
  const Tensor source = random_tensor(random, {3, 40, 50});
  const auto view_of = [&](const Shape& shape, const StridedView& layout) {
    WeightsLoader loader{Weights()};
    loader.declare("source", {3, 40, 50}, StoredType::kF32);
    loader.write("source", 0, bytes_of_tensor(source));
    loader.view("x", shape, "source", layout, MatrixPurpose::kTable);
    loader.drop("source");
    EXPECT_THAT(loader.names(), ElementsAre("x"));
    return loader.complete().take("x", shape);
  };
  const Tensor transposed = view_of({50, 120}, {{50, 3, 40}, {1, 2000, 50}, 0});
  for (int col = 0; col < 50; ++col) {
    for (int row = 0; row < 120; ++row) {
      ASSERT_EQ(transposed.matrix().row(col)[row], source.matrix().row(row)[col]);
    }
  }
  const Tensor second = view_of({40, 50}, {{40, 50}, {50, 1}, 2000});
  EXPECT_TRUE(same_bits(second.matrix(), source.matrix().row_range(40, 40)));
  const Tensor repeated = view_of({4}, {{4}, {0}, 7});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(repeated.data()[i], source.data()[7]);
  EXPECT_EQ(view_of({0, 5}, {{0, 5}, {1, 1}, 0}).size(), 0u);
}

TEST(LoaderTest, RenamesAWrittenTensor) {
  WeightsLoader loader{Weights()};
  loader.declare("a", {2}, StoredType::kF32);
  expect_refused([&] { loader.rename("a", "b"); }, ErrorCode::kBadCheckpoint, "'a' ends after 0 of 2 elements");
  loader.write("a", 0, bytes_of_numbers<float>({1, 2}));
  loader.rename("a", "b");
  EXPECT_EQ(loader.complete().take("b", {2}).data()[1], 2.0f);
}

TEST(LoaderTest, RefusesPiecesAndScalesThatDoNotFit) {
  WeightsLoader loader{Weights()};
  loader.declare("x", {3}, StoredType::kF32);
  loader.declare("q", {3}, StoredType::kI8);
  constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;
  expect_refused([&] { loader.declare("x", {3}, StoredType::kF32); }, kInvalid, "the tensor 'x' exists already");
  expect_refused([&] { loader.write("y", 0, Bytes(4)); }, kInvalid, "the tensor 'y' was not declared");
  expect_refused([&] { loader.write("x", 0, Bytes(16)); }, kInvalid,
                 "16 bytes at element 0 do not fit into the tensor 'x' of 3 elements");
  expect_refused([&] { loader.write("x", 0, Bytes(5)); }, kInvalid, "5 bytes at element 0 do not fit");
  expect_refused([&] { loader.write("x", 3, Bytes(4)); }, kInvalid, "4 bytes at element 3 do not fit");
  expect_refused([&] { loader.write("x", SIZE_MAX, Bytes(4)); }, kInvalid, "do not fit");
  expect_refused([&] { loader.write("q", 0, Bytes(3)); }, kInvalid,
                 "the scales of the tensor 'q' must be set before its numbers are written");
  expect_refused([&] { loader.scale("q", {{}, 1}); }, kInvalid, "the scales of the tensor 'q' are missing");
  expect_refused([&] { loader.scale("q", {{1.0f}, 0}); }, kInvalid, "the scales of the tensor 'q' are missing");
  expect_refused([&] { loader.scale("x", {{1.0f}, 3}); }, kInvalid, "the tensor 'x' is not quantised");
  loader.write("x", 0, Bytes(8));
  expect_refused([&] { loader.complete(); }, ErrorCode::kBadCheckpoint, "the tensor 'q' ends after 0 of 3 elements");
  loader.drop("q");
  expect_refused([&] { loader.complete(); }, ErrorCode::kBadCheckpoint, "the tensor 'x' ends after 2 of 3 elements");
}

TEST(LoaderTest, RefusesViewsThatDoNotFit) {
  WeightsLoader loader{Weights()};
  loader.declare("x", {2, 2, 3}, StoredType::kF32);
  loader.declare("matrix", {2, 3}, StoredType::kF32);
  constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;
  expect_refused([&] { loader.view("y", {3}, "x", {{3}, {1}, 0}); }, ErrorCode::kBadCheckpoint, "'x' ends after 0");
  loader.write("x", 0, Bytes(48));
  loader.write("matrix", 0, Bytes(24));
  const auto refused = [&](const Shape& shape, const StridedView& layout, const char* message) {
    expect_refused([&] { loader.view("y", shape, "x", layout); }, kInvalid, message);
  };
  refused({4}, {{3}, {1}, 0}, "a view of shape [3] does not fit the tensor 'y' of shape [4]");
  refused({3}, {{3}, {1, 1}, 0}, "does not fit the tensor 'y'");
  refused({3}, {{3}, {1}, -1}, "does not fit the tensor 'y'");
  refused({3}, {{3}, {-1}, 5}, "the strides of a view must not be negative, got -1");
  refused({3}, {{3}, {1}, 10}, "the view for the tensor 'y' reads beyond the end of the tensor 'x'");
  expect_refused([&] { loader.view("y", {3}, "matrix", {{3}, {1}, 0}); }, kInvalid, "'matrix' is a matrix");
  expect_refused([&] { loader.view("y", {3}, "nothing", {{3}, {1}, 0}); }, kInvalid, "there is no tensor 'nothing'");
}

}  // namespace
}  // namespace transformer
