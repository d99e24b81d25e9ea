// src/positions: each scheme against its formula, and against reference numbers computed in double precision.
#include "positions/positions.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/bench.h"
#include "support/errors.h"
#include "support/fixture.h"
#include "support/naive.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

constexpr StackShape kStack = {.d_model = 12, .num_heads = 3, .d_head = 4, .num_layers = 2, .bidirectional = true};

TEST(SinusoidalTest, FollowsTheFormulaForEveryWidthAndLayout) {
  for (int d_model : {1, 2, 7, 16}) {
    for (SinusoidLayout layout : {SinusoidLayout::kInterleaved, SinusoidLayout::kHalves}) {
      const Tensor table =
          sinusoidal_positions(d_model, {.max_length = 50, .layout = layout, .offset = 3, .base = 500.0});
      const int sines = (d_model + 1) / 2;
      for (int row = 0; row < 50; ++row) {
        for (int col = 0; col < d_model; ++col) {
          const bool halves = layout == SinusoidLayout::kHalves;
          const bool is_sine = halves ? col < sines : col % 2 == 0;
          const int pair = halves ? (is_sine ? col : col - sines) : col / 2;
          const double angle = (row + 3) / std::pow(500.0, 2.0 * pair / d_model);
          // Computed in double precision, then rounded once.
          EXPECT_NEAR(table.matrix().row(row)[col], is_sine ? std::sin(angle) : std::cos(angle), kEpsilon / 2);
        }
      }
    }
  }
  EXPECT_EQ(code_of([] { sinusoidal_positions(4, {.max_length = -1}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { sinusoidal_positions(0, {.max_length = 4}); }), ErrorCode::kInvalidArgument);
}

TEST(SinusoidalTest, StartsAtAnyPosition) {
  const SinusoidalPositions config = {.max_length = 10, .offset = 2};
  const Sinusoidal positions(4, config);
  EXPECT_EQ(positions.max_length(), 10);
  const LooseMatrix x(3, 4, 1);
  positions.add_to_input(x.view(), 7);
  EXPECT_TRUE(same_bits(x.view(), sinusoidal_positions(4, config).matrix().row_range(7, 3)));
  EXPECT_THAT(message_of([&] { positions.add_to_input(x.view(), 8); }), HasSubstr("10 positions"));
}

TEST(LearnedTest, StartsAtAnyPosition) {
  Random random(5);
  Weights weights;
  const Tensor table = add_random(weights, random, "weight", {10, 4}, MatrixPurpose::kTable);
  const Learned positions(WeightScope(weights), 4, {.max_length = 10});
  EXPECT_EQ(positions.max_length(), 10);
  const LooseMatrix x(3, 4, 1);
  positions.add_to_input(x.view(), 7);
  EXPECT_TRUE(same_bits(x.view(), table.matrix().row_range(7, 3)));
  EXPECT_THAT(message_of([&] { positions.add_to_input(x.view(), 8); }), HasSubstr("10 positions"));
}

TEST(RotaryTest, RotatesPairsByTheAngleOfTheirPosition) {
  Random random(6);
  const int heads = 3, d_head = 8, length = 6;
  for (const RotaryLayout layout : {RotaryLayout::kInterleaved, RotaryLayout::kHalves}) {
    const Rotary rotary(d_head, {.max_length = 20, .layout = layout, .base = 100.0});
    const LooseMatrix x(random, length, heads * d_head, 3, 1), rotated(length, heads * d_head, 3, 1);
    for (int row = 0; row < length; ++row) std::copy_n(x.view().row(row), heads * d_head, rotated.view().row(row));
    rotary.rotate(rotated.view(), 4);
    for (int row = 0; row < length; ++row) {
      for (int head = 0; head < heads; ++head) {
        for (int pair = 0; pair < d_head / 2; ++pair) {
          const bool halves = layout == RotaryLayout::kHalves;
          const int first = head * d_head + (halves ? pair : 2 * pair);
          const int second = first + (halves ? d_head / 2 : 1);
          const double angle = (4 + row) * std::pow(100.0, -2.0 * pair / d_head);
          const double a = x.view().row(row)[first], b = x.view().row(row)[second];
          EXPECT_NEAR(rotated.view().row(row)[first], a * std::cos(angle) - b * std::sin(angle), 4 * kEpsilon);
          EXPECT_NEAR(rotated.view().row(row)[second], a * std::sin(angle) + b * std::cos(angle), 4 * kEpsilon);
        }
      }
    }
    EXPECT_TRUE(rotated.surroundings_untouched());
    EXPECT_EQ(code_of([&] { rotary.rotate(rotated.view(), 15); }), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code_of([&] { rotary.rotate(rotated.view(), -1); }), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(code_of([] { Rotary(7, {.max_length = 4, .base = 100.0}); }), ErrorCode::kInvalidArgument);
}

TEST(RotaryTest, RotatesByTheRowAndTheColumnInAGrid) {
  Random random(9);
  const int heads = 2, d_head = 12, prefix = 3;
  const std::vector<double> frequencies = {6.0, 1.5, 0.25};
  const Rotary rotary(d_head, {.max_length = 1000, .frequencies = frequencies, .axial = true, .prefix = prefix});
  EXPECT_TRUE(rotary.depends_on_length());
  // The second grid has as many cells as the first.
  for (const auto& [rows, columns] : {std::pair(2, 6), {4, 3}, {1, 1}, {5, 1}}) {
    const int time = prefix + rows * columns;
    const LooseMatrix x(random, time, heads * d_head, 3, 1), rotated(time, heads * d_head, 3, 1);
    for (int row = 0; row < time; ++row) std::copy_n(x.view().row(row), heads * d_head, rotated.view().row(row));
    rotary.rotate(rotated.view(), 0, columns);
    for (int token = 0; token < time; ++token) {
      const int cell = token - prefix;
      const double y = 2 * (cell / columns + 0.5) / rows - 1, z = 2 * (cell % columns + 0.5) / columns - 1;
      for (int head = 0; head < heads; ++head) {
        for (int pair = 0; pair < d_head / 2; ++pair) {
          const int first = head * d_head + pair, second = first + d_head / 2;
          const double angle = cell < 0 ? 0 : (pair < 3 ? y : z) * frequencies[static_cast<std::size_t>(pair % 3)];
          const double a = x.view().row(token)[first], b = x.view().row(token)[second];
          EXPECT_NEAR(rotated.view().row(token)[first], a * std::cos(angle) - b * std::sin(angle), 4 * kEpsilon);
          EXPECT_NEAR(rotated.view().row(token)[second], a * std::sin(angle) + b * std::cos(angle), 4 * kEpsilon);
        }
      }
    }
    EXPECT_TRUE(rotated.surroundings_untouched());
    EXPECT_EQ(code_of([&] { rotary.rotate(rotated.view(), 0, rows * columns + 1); }), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code_of([&] { rotary.rotate(rotated.view(), 0); }), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code_of([&] { rotary.rotate(rotated.view(), 1, columns); }), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(code_of([] { Rotary(6, {.max_length = 4, .axial = true}); }), ErrorCode::kInvalidArgument);
}

TEST(AlibiTest, IsASlopeTimesTheDistance) {
  Bench bench;
  for (int head = 0; head < 8; ++head) EXPECT_EQ(alibi_slope(head, 8), std::exp2(-(head + 1.0f)));
  const DistanceBias by_distance = Alibi(6).score_bias(0, 9, bench.arena);
  const DistanceBias scaled = Alibi(6, {.scale = 0.25f}).score_bias(0, 9, bench.arena);
  const Tensor bias = alibi_bias(6, 4, 9);
  for (int head = 0; head < 6; ++head) {
    const float* at = by_distance.centre + head * by_distance.head_stride;
    for (int distance = -9; distance <= 9; ++distance) {
      EXPECT_EQ(at[distance], alibi_slope(head, 6) * static_cast<float>(distance));
      EXPECT_EQ(scaled.centre[head * scaled.head_stride + distance], 0.25f * at[distance]);
    }
    for (int query = 0; query < 4; ++query) {
      for (int key = 0; key < 9; ++key) {
        EXPECT_EQ(bias.matrix().row(head * 4 + query)[key], at[key - (5 + query)]);
      }
    }
  }
  EXPECT_EQ(code_of([] { Alibi alibi(0); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { Alibi(2, {.scale = NAN}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { alibi_bias(0, 1, 1); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { alibi_bias(2, -1, 3); }), ErrorCode::kInvalidArgument);
}

TEST(RelativeTest, BucketsPickTheirWeight) {
  Bench bench;
  Random random(4);
  const RelativePositions config = {.buckets = 8, .max_distance = 20};
  for (const bool bidirectional : {true, false}) {
    const StackShape stack = {
        .d_model = 12, .num_heads = 3, .d_head = 4, .num_layers = 2, .bidirectional = bidirectional};
    Weights weights;
    const Tensor table = add_random(weights, random, "weight", {8, 3}, MatrixPurpose::kTable);
    const Relative positions(WeightScope(weights), stack, config);
    const DistanceBias by_distance = positions.score_bias(0, 40, bench.arena);
    for (int head = 0; head < 3; ++head) {
      for (int distance = -40; distance <= 40; ++distance) {
        const int bucket = relative_bucket(distance, bidirectional, config);
        ASSERT_TRUE(bucket >= 0 && bucket < 8);
        EXPECT_EQ(by_distance.centre[head * by_distance.head_stride + distance], table.matrix().row(bucket)[head]);
      }
    }
  }
  for (const RelativePositions bad : {RelativePositions{3, 20}, RelativePositions{32, 16}}) {
    Weights weights = Weights::random(1);
    EXPECT_EQ(code_of([&] { Relative(WeightScope(weights), kStack, bad); }), ErrorCode::kInvalidArgument);
  }
}

TEST(RelativeTest, EachLayerMayHaveItsOwnWeight) {
  Random random(31);
  Weights weights;
  std::vector<Tensor> tables;
  for (int layer = 0; layer < kStack.num_layers; ++layer) {
    tables.push_back(
        add_random(weights, random, concat(layer, ".weight"), {4, kStack.num_heads}, MatrixPurpose::kTable));
  }
  const Relative positions(WeightScope(weights), kStack, {.buckets = 4, .max_distance = 5, .per_layer = true});
  EXPECT_TRUE(positions.differs_by_layer());
  Bench bench;
  for (int layer = 0; layer < kStack.num_layers; ++layer) {
    const DistanceBias bias = positions.score_bias(layer, 3, bench.arena);
    EXPECT_EQ(bias.centre[0], tables[static_cast<std::size_t>(layer)].matrix().row(0)[0]);
  }
}

TEST(RotaryTest, GivenFrequenciesRotateAPartOfEachHead) {
  const Rotary positions(6, {.max_length = 40000, .frequencies = {0.5, 0.01}});
  Random random(3);
  // In the stored table, and beyond it.
  for (const int first : {3, 20000}) {
    const Tensor before = random_tensor(random, {2, 12});
    Tensor x = before.clone();
    positions.rotate(x.matrix(), first);
    for (int row = 0; row < 2; ++row) {
      for (int head = 0; head < 12; head += 6) {
        const float *from = before.matrix().row(row) + head, *to = x.matrix().row(row) + head;
        for (int pair = 0; pair < 2; ++pair) {
          const double angle = (first + row) * (pair == 0 ? 0.5 : 0.01);
          EXPECT_NEAR(to[pair], from[pair] * std::cos(angle) - from[pair + 2] * std::sin(angle), 1e-6);
          EXPECT_NEAR(to[pair + 2], from[pair] * std::sin(angle) + from[pair + 2] * std::cos(angle), 1e-6);
        }
        EXPECT_EQ(to[4], from[4]);
        EXPECT_EQ(to[5], from[5]);
      }
    }
  }
  EXPECT_EQ(code_of([] { Rotary(4, {.max_length = 3, .frequencies = {1.0, 2.0, 3.0}}); }), ErrorCode::kInvalidArgument);
}

TEST(RotaryTest, ADynamicBaseGrowsWithTheSequence) {
  const Rotary dynamic(8, {.max_length = 64, .dynamic_length = 16, .dynamic_factor = 2.0});
  Random random(4);
  const auto rotated_by = [&](const Rotary& positions, const Tensor& from) {
    Tensor x = from.clone();
    positions.rotate(x.matrix(), 0);
    return x;
  };
  const Tensor short_text = random_tensor(random, {16, 8}), long_text = random_tensor(random, {24, 8});
  EXPECT_TRUE(same_bits(rotated_by(dynamic, short_text), rotated_by(Rotary(8, {.max_length = 64}), short_text)));
  EXPECT_TRUE(dynamic.depends_on_length()) << "so that long prompts are not rotated in parts";
  EXPECT_FALSE(Rotary(8, {.max_length = 64}).depends_on_length());
  const double base = 10000.0 * std::pow(2.0 * 24 / 16 - 1.0, 8.0 / 6.0);
  EXPECT_TRUE(
      same_bits(rotated_by(dynamic, long_text), rotated_by(Rotary(8, {.max_length = 64, .base = base}), long_text)));
}

TEST(RotaryTest, LongTextsHaveFrequenciesOfTheirOwnAndAllAScale) {
  const std::vector<double> short_ones = {0.5, 0.1}, long_ones = {0.2, 0.03};
  const Rotary positions(
      4,
      {.max_length = 64, .frequencies = short_ones, .dynamic_length = 16, .long_frequencies = long_ones, .scale = 1.5});
  EXPECT_TRUE(positions.depends_on_length());
  Random random(5);
  for (const int length : {16, 17, 40}) {
    const Tensor from = random_tensor(random, {length, 4});
    Tensor x = from.clone();
    positions.rotate(x.matrix(), 0);
    for (int row = 0; row < length; ++row) {
      for (int pair = 0; pair < 2; ++pair) {
        const double angle = row * (length > 16 ? long_ones : short_ones)[static_cast<std::size_t>(pair)];
        const float *a = from.matrix().row(row) + pair, *to = x.matrix().row(row) + pair;
        EXPECT_NEAR(to[0], 1.5 * (a[0] * std::cos(angle) - a[2] * std::sin(angle)), 2e-6);
        EXPECT_NEAR(to[2], 1.5 * (a[0] * std::sin(angle) + a[2] * std::cos(angle)), 2e-6);
      }
    }
  }
  EXPECT_EQ(code_of([] { Rotary(2, {.max_length = 3, .long_frequencies = {1.0, 2.0}}); }), ErrorCode::kInvalidArgument);
}

TEST(DisentangledTest, BucketsAreExactThenLogarithmicAndKeepTheirSign) {
  Weights weights = Weights::random(1);
  const Disentangled positions(WeightScope(weights), 4, {.buckets = 8, .max_distance = 32, .span = 8});
  // From PyTorch: make_log_bucket_position of the distances 0 to 31.
  const std::vector<int> rows = {8,  9,  10, 11, 12, 13, 13, 13, 14, 14, 14, 14, 14, 14, 14, 14,
                                 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15};
  for (int distance = 0; distance < 32; ++distance) {
    EXPECT_EQ(positions.row(distance), rows[static_cast<std::size_t>(distance)]) << distance;
    const int mirrored = 16 - rows[static_cast<std::size_t>(distance)];
    EXPECT_EQ(positions.row(-distance), std::max(mirrored, 0)) << -distance;
  }
}

// The effects of each scheme on its stack, and that it has no others.
struct Deeds {
  Positions config;
  int max_length;
  bool adds_to_input, rotates, biases_scores;
  bool relates_content = false;
};

TEST(PositionsTest, EachSchemeHasOnlyItsOwnEffects) {
  const Deeds schemes[] = {
      {NoPositions(), PositionScheme::kUnlimited, false, false, false},
      {SinusoidalPositions{.max_length = 9}, 9, true, false, false},
      {LearnedPositions{.max_length = 9}, 9, true, false, false},
      {RotaryPositions{.max_length = 9}, 9, false, true, false},
      {AlibiPositions(), PositionScheme::kUnlimited, false, false, true},
      {RelativePositions{.buckets = 4, .max_distance = 5}, PositionScheme::kUnlimited, false, false, true},
      {DisentangledPositions{.buckets = 4, .max_distance = 5, .span = 4}, PositionScheme::kUnlimited, false, false,
       false, true},
  };
  static_assert(std::size(schemes) == std::variant_size_v<Positions>);
  for (const Deeds& scheme : schemes) {
    const char* name = std::visit([](const auto& config) { return config.kName; }, scheme.config);
    Bench bench;
    Random random(7);
    Weights weights = Weights::random(1);
    const auto positions = make_positions(scheme.config, WeightScope(weights), kStack);
    EXPECT_EQ(positions->max_length(), scheme.max_length) << name;
    EXPECT_EQ(positions->adds_to_input(), scheme.adds_to_input) << name;
    EXPECT_EQ(positions->score_bias(0, 5, bench.arena).centre != nullptr, scheme.biases_scores) << name;
    EXPECT_EQ(positions->disentangled() != nullptr, scheme.relates_content) << name;
    const Tensor before = random_tensor(random, {4, kStack.d_model});
    Tensor added = before.clone(), rotated = before.clone();
    positions->add_to_input(added.matrix(), 2);
    positions->rotate(rotated.matrix(), 2);
    EXPECT_EQ(!same_bits(added, before), scheme.adds_to_input) << name;
    EXPECT_EQ(!same_bits(rotated, before), scheme.rotates) << name;
  }
}

TEST(PositionsTest, RefusesAMaxLengthThatIsNotPositive) {
  for (const int length : {0, -3}) {
    const Positions tables[] = {SinusoidalPositions{.max_length = length}, LearnedPositions{.max_length = length},
                                RotaryPositions{.max_length = length}};
    for (const Positions& config : tables) {
      Weights weights = Weights::random(1);
      const Error error = error_of([&] { make_positions(config, WeightScope(weights), kStack); });
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_THAT(error.what(), HasSubstr(concat("maxLength must be positive, got ", length)));
    }
  }
}

TEST(PositionsTest, TakesItsTensorsFromTheStack) {
  Random random(8);
  Weights weights;
  add_random(weights, random, "decoder.positions.weight", {9, kStack.d_model}, MatrixPurpose::kTable);
  add_random(weights, random, "decoder.relative_bias.weight", {8, kStack.num_heads}, MatrixPurpose::kTable);
  const WeightScope scope = WeightScope(weights) / "decoder";
  make_positions(LearnedPositions{.max_length = 9}, scope, kStack);
  make_positions(RelativePositions{.buckets = 8, .max_distance = 20}, scope, kStack);
  EXPECT_TRUE(weights.names().empty());
}

TEST(PositionsReferenceTest, SinesCosinesAndRotations) {
  const Fixture fixture("positions_f64");
  for (const auto& [name, layout] :
       {std::pair("interleaved", SinusoidLayout::kInterleaved), std::pair("halves", SinusoidLayout::kHalves)}) {
    for (int d_model : {7, 10, 16}) {
      const Tensor table = sinusoidal_positions(d_model, {.max_length = 40, .layout = layout});
      expect_near(table.data(), fixture.numbers(std::string(name) + "_d" + std::to_string(d_model)), kEpsilon / 2,
                  name);
    }
    const Tensor row = sinusoidal_positions(64, {.max_length = 1, .layout = layout, .offset = 513});
    expect_near(row.data(), fixture.numbers(std::string(name) + "_d64_row_513"), kEpsilon / 2, name);
  }
  for (int d_model : {7, 10, 16}) {
    Tensor table = sinusoidal_positions(d_model, {.max_length = 40, .layout = SinusoidLayout::kFairseq});
    std::fill_n(table.matrix().row(1), d_model, 0.0f);  // the reference's padding row, which no token uses
    expect_near(table.data(), fixture.numbers("fairseq_pad1_d" + std::to_string(d_model)), kEpsilon / 2, "fairseq");
  }
  for (const auto& [name, layout] :
       {std::pair("interleaved", RotaryLayout::kInterleaved), std::pair("halves", RotaryLayout::kHalves)}) {
    Tensor x = fixture.tensor("rope_input_d8");
    Rotary(8, {.max_length = 40, .layout = layout}).rotate(x.matrix(), 0);
    const std::vector<double> expected = fixture.numbers(std::string("rope_output_") + name + "_d8");
    expect_near(x.data(), expected, 4 * kEpsilon * largest(expected), name);
  }
}

TEST(PositionsReferenceTest, RelativeBucketsAreThoseOfT5) {
  for (const auto& [name, config] : {std::pair("t5_relative_buckets", RelativePositions{32, 128}),
                                     std::pair("t5_v1_1_relative_buckets", RelativePositions{8, 16})}) {
    const Fixture fixture(name);
    const std::vector<double> distances = fixture.numbers("relative_position");
    for (const bool bidirectional : {true, false}) {
      const std::string stack = bidirectional ? "encoder" : "decoder";
      const std::vector<double> own = fixture.numbers("relative_bucket_" + stack),
                                usual = fixture.numbers("relative_bucket_" + stack + "_32_128");
      for (std::size_t i = 0; i < distances.size(); ++i) {
        const int distance = static_cast<int>(distances[i]);
        EXPECT_EQ(relative_bucket(distance, bidirectional, config), own[i]) << stack << " " << distance;
        EXPECT_EQ(relative_bucket(distance, bidirectional, {32, 128}), usual[i]) << stack << " " << distance;
      }
    }
  }
}

TEST(PositionsReferenceTest, AlibiSlopes) {
  const Fixture fixture("alibi_slopes");
  for (const auto& [name, stored] : fixture.tensors()) {
    const std::vector<double> expected = stored.numbers();
    const int heads = static_cast<int>(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // The reference computes powers of a rounded base in single precision: one rounding per step.
      EXPECT_NEAR(alibi_slope(static_cast<int>(i), heads), expected[i],
                  expected[i] * kEpsilon * 2 * static_cast<double>(expected.size()))
          << name;
    }
  }
}

}  // namespace
}  // namespace transformer
