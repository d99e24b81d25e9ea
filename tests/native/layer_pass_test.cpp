// src/transformer/layer_pass: single layers over tensors are the layers themselves, in the shapes of their inputs.
#include "transformer/layer_pass.h"

#include <gmock/gmock.h>

#include "kernels/activation.h"
#include "support/errors.h"
#include "support/input_tensors.h"
#include "support/naive.h"
#include "support/random_model.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

template <class F>
void expect_refused(const F& call, const char* message) {
  const Error error = error_of(call);
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr(message));
}

LayerConfig small_layer() {
  LayerConfig config;
  config.d_model = 12;
  config.attention.num_heads = 3;
  config.feed_forward.d_ff = 20;
  return config;
}

TEST(LayerPassTest, LinearAndFeedForwardTakeAnyLeadingAxes) {
  Random random(1);
  Bench bench(2);
  Weights weights = Weights::random(1);
  const Linear linear(WeightScope(weights) / "linear", 7, 5, true);
  const FeedForward feed_forward(WeightScope(weights) / "feed_forward", {.d_model = 7, .d_ff = 9});
  for (const Shape& leading : {Shape{}, Shape{4}, Shape{2, 3}, Shape{0, 3}}) {
    Shape shape = leading;
    shape.push_back(7);
    const Tensor x = random_tensor(random, shape);
    const Tensor result = run_layer(linear, Activation::kRelu, x, bench.workspace);
    const Tensor fed = run_layer(feed_forward, x, bench.workspace);
    EXPECT_EQ(fed.shape(), shape);
    shape.back() = 5;
    EXPECT_EQ(result.shape(), shape);
    Tensor expected({x.matrix().rows, 5}), expected_fed({x.matrix().rows, 7});
    linear.forward(x.matrix(), expected.matrix(), bench.workspace, Activation::kRelu);
    feed_forward.forward(x.matrix(), {expected_fed.matrix()}, bench.workspace);
    EXPECT_TRUE(same_bits(result.matrix(), expected.matrix()));
    EXPECT_TRUE(same_bits(fed.matrix(), expected_fed.matrix()));
  }
  expect_refused([&] { run_layer(linear, Activation::kNone, Tensor({2, 8}), bench.workspace); },
                 "x must have the width 7, got the shape [2, 8]");
  expect_refused([&] { run_layer(feed_forward, Tensor(), bench.workspace); }, "x must have the width 7");
  expect_refused([&] { run_layer(linear, Activation::kNone, Tensor(Shape{}), bench.workspace); },
                 "x must have the width 7, got the shape []");
}

TEST(LayerPassTest, LinearConfigsAreChecked) {
  EXPECT_NO_THROW(checked(LinearConfig{.in_features = 1, .out_features = 2}));
  expect_refused([] { checked(LinearConfig{.in_features = 3}); },
                 "inFeatures and outFeatures must be positive, got 3 and 0");
}

class AttentionLayerTest : public ::testing::Test {
 protected:
  AttentionLayerTest()
      : weights_(Weights::random(2)),
        layer_(WeightScope(weights_), {.d_model = 12, .d_key = 7, .d_value = 5, .num_heads = 3}) {
    query_ = random_tensor(random_, {2, 4, 12});
    key_ = random_tensor(random_, {2, 6, 7});
    value_ = random_tensor(random_, {2, 6, 5});
  }

  AttentionCall call(bool need_weights = false, bool average_weights = false) const {
    return {vectors_input(query_), vectors_input(key_), vectors_input(value_), {}, false,
            need_weights,          average_weights};
  }

  Random random_{2};
  Bench bench_{2};
  Weights weights_;
  MultiHeadAttention layer_;
  Tensor query_, key_, value_;
};

TEST_F(AttentionLayerTest, IsTheLayerWithItsWeightsWhereNeeded) {
  Tensor expected({8, 12});
  const Mask mask;
  layer_.forward({query_.matrix(), key_.matrix(), value_.matrix(), {2, 4}, {2, 6}, mask}, {expected.matrix()},
                 bench_.workspace);
  const AttentionLayerResult plain = run_layer(layer_, call(), bench_.workspace);
  EXPECT_EQ(plain.output.shape(), query_.shape());
  EXPECT_TRUE(same_bits(plain.output.matrix(), expected.matrix()));
  EXPECT_TRUE(plain.weights.empty());
  const AttentionLayerResult per_head = run_layer(layer_, call(true), bench_.workspace);
  const AttentionLayerResult mean = run_layer(layer_, call(true, true), bench_.workspace);
  EXPECT_TRUE(same_bits(per_head.output, plain.output));
  ASSERT_EQ(per_head.weights.shape(), (Shape{2, 3, 4, 6}));
  ASSERT_EQ(mean.weights.shape(), (Shape{2, 4, 6}));
  for (int batch = 0; batch < 2; ++batch) {
    for (int i = 0; i < 24; ++i) {
      double sum = 0;
      for (int head = 0; head < 3; ++head) sum += per_head.weights.data()[(batch * 3 + head) * 24 + i];
      EXPECT_NEAR(mean.weights.data()[batch * 24 + i], sum / 3, 4 * kEpsilon);
    }
  }
}

TEST_F(AttentionLayerTest, TakesASequenceWithoutTheBatchAxis) {
  const AttentionLayerResult batched = run_layer(layer_, call(true), bench_.workspace);
  AttentionCall one = call(true);
  for (InputTensor* input : {&one.query, &one.key, &one.value}) *input = sequence_of(*input, 1);
  const AttentionLayerResult alone = run_layer(layer_, std::move(one), bench_.workspace);
  EXPECT_EQ(alone.output.shape(), (Shape{4, 12}));
  EXPECT_EQ(alone.weights.shape(), (Shape{3, 4, 6}));
  EXPECT_TRUE(same_bits(alone.output.data(), batched.output.data() + 48, 48));
  EXPECT_TRUE(same_bits(alone.weights.data(), batched.weights.data() + 72, 72));
}

TEST_F(AttentionLayerTest, RefusesShapesThatDoNotFit) {
  const auto refused = [&](const char* message, const auto& change) {
    AttentionCall faulty = call();
    change(faulty);
    expect_refused([&] { run_layer(layer_, std::move(faulty), bench_.workspace); }, message);
  };
  refused("query is missing", [](AttentionCall& c) { c.query = {}; });
  refused("query must have the width 12, got the shape [2, 4, 11]",
          [](AttentionCall& c) { c.query = vectors_input(Tensor::zeros({2, 4, 11})); });
  refused("key must be vectors of shape [batch, time, 7], got the shape [7]",
          [](AttentionCall& c) { c.key = vectors_input(Tensor::zeros({7})); });
  refused("query and key must have the same batch size, got 2 and 3",
          [](AttentionCall& c) { c.key = vectors_input(Tensor::zeros({3, 6, 7})); });
  refused("query and value must have the same batch size, got 2 and 1",
          [](AttentionCall& c) { c.value = vectors_input(Tensor::zeros({6, 5})); });
  refused("value must have as many rows as key (6), got 5",
          [](AttentionCall& c) { c.value = vectors_input(Tensor::zeros({2, 5, 5})); });
  refused("mask of shape [5, 6]", [](AttentionCall& c) { c.masks.mask = Tensor::zeros({5, 6}); });
  refused("keyPaddingMask must have the shape", [](AttentionCall& c) { c.masks.padding = Tensor::zeros({2, 4}); });
}

TEST(LayerPassTest, AnEncoderLayerIsTheLayerItself) {
  Random random(3);
  Bench bench;
  Weights weights = Weights::random(3);
  const EncoderLayer layer(WeightScope(weights), small_layer());
  const Tensor x = random_tensor(random, {2, 5, 12});
  Tensor expected = x.clone();
  Mask causal;
  causal.causal = true;
  layer.forward(expected.matrix(), {2, 5}, causal, bench.workspace);
  const Tensor result = run_layer(layer, {vectors_input(x), {}, true}, bench.workspace);
  EXPECT_TRUE(same_bits(result, expected));
  const Tensor alone = run_layer(layer, {sequence_of(vectors_input(x), 1), {}, true}, bench.workspace);
  EXPECT_EQ(alone.shape(), (Shape{5, 12}));
  EXPECT_TRUE(same_bits(alone.data(), expected.data() + 60, 60));
  expect_refused([&] { run_layer(layer, {vectors_input(Tensor::zeros({5, 11})), {}}, bench.workspace); },
                 "x must have the width 12, got the shape [5, 11]");
  expect_refused([&] { run_layer(layer, {vectors_input(x), {{}, Tensor::zeros({4, 5}), {}}}, bench.workspace); },
                 "bias of shape [4, 5]");
}

TEST(LayerPassTest, ALayerAttendsToVectorsOfItsOwnWidth) {
  Weights weights = Weights::random(5);
  LayerConfig config = small_layer();
  config.attention.d_key = 14;
  const char* message = "kDim and vDim of a layer's attention must be dModel (12), got 14 and 12";
  expect_refused([&] { EncoderLayer(WeightScope(weights), config); }, message);
  expect_refused([&] { DecoderLayer(WeightScope(weights), config, 12); }, message);
}

TEST(LayerPassTest, ADecoderLayerIsTheDecoderOfOneLayer) {
  Random random(4);
  Bench bench;
  TransformerConfig config = plain_config({.layers = 1, .d_model = 12, .heads = 3, .d_ff = 20, .vocab = 0});
  Weights weights = Weights::random(4);
  const Transformer model(weights, config);
  Weights same = Weights::random(4);
  const DecoderLayer layer(WeightScope(same) / "decoder" / "layers" / 0, config.decoder.layer, 12);
  const Tensor x = random_tensor(random, {2, 5, 12}), memory = random_tensor(random, {2, 7, 12});
  DecoderMasks masks;
  masks.self.causal = true;
  Tensor expected({10, 12});
  DecoderState state = model.decoder().start({memory.matrix(), 2, 7}, 2, 5, bench.workspace);
  model.decoder().forward({.batch = 2, .time = 5, .vectors = x.matrix()}, state, masks, expected.matrix(),
                          bench.workspace);
  const Tensor result = run_layer(layer, {vectors_input(x), vectors_input(memory), {}, {}, true}, bench.workspace);
  EXPECT_EQ(result.shape(), x.shape());
  EXPECT_TRUE(same_bits(result.matrix(), expected.matrix()));
  expect_refused(
      [&] { run_layer(layer, {vectors_input(x), sequence_of(vectors_input(memory), 0), {}, {}}, bench.workspace); },
      "x and memory must have the same batch size, got 2 and 1");
  expect_refused(
      [&] {
        run_layer(layer, {vectors_input(x), vectors_input(memory), {}, {Tensor::zeros({5, 5}), {}, {}}},
                  bench.workspace);
      },
      "memoryMask of shape [5, 5]");
}

}  // namespace
}  // namespace transformer
