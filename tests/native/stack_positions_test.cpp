// src/transformer: layers of one stack with different positions, and caps of logits.
#include <gmock/gmock.h>

#include <cmath>

#include "support/bench.h"
#include "support/errors.h"
#include "support/stored_weights.h"
#include "transformer/config.h"
#include "transformer/input.h"
#include "transformer/output_projection.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

StackConfig stack_of(int layers) {
  StackConfig stack;
  stack.num_layers = layers;
  stack.layer.d_model = 8;
  stack.layer.feed_forward.d_ff = 4;
  stack.positions = RotaryPositions{.max_length = 40};
  return stack;
}

TEST(StackPositionsTest, LayersHaveTheSchemeThatIsNamedForThem) {
  Weights weights;
  StackConfig stack = stack_of(3);
  const StackPositions one(stack, WeightScope(weights), true);
  EXPECT_EQ(one.of_layer(1), one.main());
  EXPECT_FALSE(one.depends_on_length());
  stack.other_positions = RotaryPositions{.max_length = 30, .dynamic_length = 16};
  stack.other_layers = {1};
  const StackPositions two(stack, WeightScope(weights), true);
  EXPECT_EQ(two.of_layer(0), two.main());
  EXPECT_EQ(two.of_layer(2), two.main());
  EXPECT_NE(two.of_layer(1), two.main());
  EXPECT_EQ(two.max_length(), 30);
  EXPECT_TRUE(two.depends_on_length());
}

TEST(StackPositionsTest, OnlySchemesThatRotateCanBeOfSomeLayers) {
  TransformerConfig config;
  config.encoder = stack_of(2);
  config.encoder.other_layers = {1};
  EXPECT_NO_THROW(validate(config));
  config.encoder.other_positions = AlibiPositions{};
  EXPECT_THAT(message_of([&] { validate(config); }), HasSubstr("otherPositions must be rotary or none"));
  config.encoder.other_positions = NoPositions{};
  config.encoder.layer_groups = 1;
  EXPECT_THAT(message_of([&] { validate(config); }), HasSubstr("weights of their own"));
}

TEST(OutputProjectionTest, LogitsMayHaveACap) {
  Random random(3);
  Weights weights;
  const Tensor w = add_random(weights, random, "weight", {21, 5});
  const OutputProjection projection(Linear(WeightScope(weights), 5, 21, false), 3.0f, 2.0f);
  const Tensor hidden = random_tensor(random, {4, 5});
  Tensor logits({4, 21}), some({4, 2});
  Bench bench;
  projection.forward(hidden.matrix(), logits.matrix(), bench.workspace);
  projection.select(std::vector{7, 2}).forward(hidden.matrix(), some.matrix(), bench.workspace);
  for (int row = 0; row < 4; ++row) {
    for (int id = 0; id < 21; ++id) {
      double sum = 0;
      for (int i = 0; i < 5; ++i) sum += 3.0 * hidden.matrix().row(row)[i] * w.matrix().row(id)[i];
      EXPECT_NEAR(logits.matrix().row(row)[id], 2 * std::tanh(sum / 2), 1e-5);
    }
    EXPECT_EQ(some.matrix().row(row)[0], logits.matrix().row(row)[7]);
  }
}

}  // namespace
}  // namespace transformer
