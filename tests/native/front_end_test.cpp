// Front ends: convolutions, patches and their positions; what follows an encoder of them: pools, contrast, sentences.
#include "transformer/front_end.h"

#include <gmock/gmock.h>

#include <cmath>

#include "attention/attention_pool.h"
#include "layers/contrast.h"
#include "support/bench.h"
#include "support/collector.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/stored_weights.h"
#include "transformer/model_pass.h"
#include "transformer/observable_paths.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST(ConvolutionTest, IsAProductOfEachWindow) {
  Random random(1);
  for (const auto& [window, stride, padding] : {std::tuple(3, 1, 1), std::tuple(3, 2, 1), std::tuple(7, 3, 0)}) {
    Bench bench(2);
    Weights weights;
    const int width = 5, time = 23;
    const Tensor kernel = add_random(weights, random, "conv.weight", {11, window * width});
    const Tensor bias = add_random(weights, random, "conv.bias", {11});
    const ConvolutionConfig config = {
        .name = "conv", .out_width = 11, .window = window, .stride = stride, .padding = padding};
    const Convolution convolution(WeightScope(weights), width, config);
    const Tensor x = random_tensor(random, {time, width});
    Tensor out({convolution.steps(time), 11});
    convolution.forward(x.matrix(), out.matrix(), bench.workspace);
    EXPECT_EQ(convolution.steps(time), (time + 2 * padding - window) / stride + 1);
    for (int step = 0; step < out.axis(0); ++step) {
      for (int channel = 0; channel < 11; ++channel) {
        Sum sum;
        for (int i = 0; i < window; ++i) {
          const int frame = step * stride + i - padding;
          for (int k = 0; k < width && frame >= 0 && frame < time; ++k)
            sum.add(x.matrix().row(frame)[k], kernel.matrix().row(channel)[i * width + k]);
        }
        EXPECT_NEAR(out.matrix().row(step)[channel], sum.value + bias.data()[channel],
                    kEpsilon * (window * width + 2) * (sum.magnitude + 1));
      }
    }
    EXPECT_EQ(convolution.steps(convolution.frames_for(4)), 4);
    EXPECT_EQ(convolution.steps(convolution.frames_for(4) - 1), 3);
  }
}

TEST(GroupNormTest, HasAMeanOfZeroAndAVarianceOfOneOverAllRows) {
  Random random(2);
  Weights weights;
  const Tensor weight = add_random(weights, random, "weight", {9});
  const Tensor bias = add_random(weights, random, "bias", {9});
  const GroupNorm norm(WeightScope(weights), 9);
  const Tensor x = random_tensor(random, {700, 9}, 4, 7);
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mean += x.data()[i] / static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    variance += std::pow(x.data()[i] - mean, 2) / static_cast<double>(x.size());
  Tensor alone = x.clone(), threaded = x.clone();
  Bench one(1), three(3);
  norm.forward(alone.matrix(), one.workspace);
  norm.forward(threaded.matrix(), three.workspace);
  EXPECT_TRUE(same_bits(alone, threaded));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = (x.data()[i] - mean) / std::sqrt(variance + 1e-5) * weight.data()[i % 9] + bias.data()[i % 9];
    EXPECT_NEAR(alone.data()[i], exact, 1e-5);
  }
}

TEST(ResizedGridTest, IsThatOfPyTorch) {
  const std::vector<float> row = {0, 1, 2, 3};
  const auto resized = [&](int columns, const GridKernel& kernel) {
    const Tensor made = resized_grid({row.data(), 4, 1, 1}, {1, 4}, {1, columns}, kernel);
    return std::vector<float>(made.data(), made.data() + made.size());
  };
  const auto near = [](const std::vector<float>& expected) {
    return ::testing::Pointwise(::testing::FloatNear(1e-6f), expected);
  };
  // torch.nn.functional.interpolate; antialias widens the triangle to [1, 3, 3, 1] / 8, cut at the edge.
  EXPECT_THAT(resized(2, {}), near({0.5f, 2.5f}));
  EXPECT_THAT(resized(2, {0, true}), near({5.0f / 7, 16.0f / 7}));
  EXPECT_THAT(resized(6, {}), near({0, 0.5f, 7.0f / 6, 11.0f / 6, 2.5f, 3}));
  for (const GridKernel& kernel : {GridKernel{}, GridKernel{-0.5, true}, GridKernel{-0.75, false}})
    EXPECT_EQ(resized(4, kernel), row);
  EXPECT_EQ(code_of([&] { resized(0, {}); }), ErrorCode::kInvalidArgument);
}

PatchesConfig patches_config() {
  return {.channels = 2,
          .height = 8,
          .width = 12,
          .patch = 4,
          .prefix = {{"class", 1}, {"registers", 2}},
          .positions = {.rows = 2, .columns = 3, .of_prefix = 1},
          .sizes = PictureSizes::kAnySize};
}

TEST(PatchEmbeddingTest, IsAProductOfEachPatchBehindThePrefix) {
  Random random(3);
  Weights weights;
  const Tensor kernel = add_random(weights, random, "patches.weight", {5, 32});
  const Tensor bias = add_random(weights, random, "patches.bias", {5});
  const Tensor first = add_random(weights, random, "class", {1, 5}, MatrixPurpose::kTable);
  const Tensor registers = add_random(weights, random, "registers", {2, 5}, MatrixPurpose::kTable);
  const Tensor positions = add_random(weights, random, "positions", {7, 5}, MatrixPurpose::kTable);
  const PatchEmbedding embedding(WeightScope(weights), patches_config(), 5);
  const Tensor pictures = random_tensor(random, {2, 2, 8, 13});  // a column that fills no patch
  const Pictures sizes = {pictures.data(), 2, 8, 13, 0, {}};
  ASSERT_EQ(embedding.tokens_of(sizes), 9);
  Bench bench(2);
  Tensor out({18, 5});
  embedding.forward(sizes, out.matrix(), bench.workspace);
  for (int picture = 0; picture < 2; ++picture) {
    const View own = out.matrix().row_range(picture * 9, 9);
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(own.row(0)[k], first.data()[k] + positions.data()[k]);
      EXPECT_EQ(own.row(2)[k], registers.matrix().row(1)[k]);
      for (int cell = 0; cell < 6; ++cell) {
        Sum sum;
        for (int i = 0; i < 32; ++i) {
          const int channel = i / 16, y = cell / 3 * 4 + i % 16 / 4, x = cell % 3 * 4 + i % 4;
          sum.add(pictures.data()[((picture * 2 + channel) * 8 + y) * 13 + x], kernel.matrix().row(k)[i]);
        }
        EXPECT_NEAR(own.row(3 + cell)[k], sum.value + bias.data()[k] + positions.matrix().row(1 + cell)[k], 1e-5);
      }
    }
  }
  // Each picture alone has the same bits, and another size gets resized positions.
  Tensor alone({9, 5});
  embedding.forward({pictures.data() + 2 * 8 * 13, 1, 8, 13, 0, {}}, alone.matrix(), bench.workspace);
  EXPECT_TRUE(same_bits(alone.matrix(), out.matrix().row_range(9, 9)));
  Tensor large({3 + 12, 5});
  const Tensor zeros = Tensor::zeros({2, 16, 12});
  embedding.forward({zeros.data(), 1, 16, 12, 0, {}}, large.matrix(), bench.workspace);
  const Tensor resized = resized_grid(positions.matrix().row_range(1, 6), {2, 3}, {4, 3}, {});
  for (int k = 0; k < 5; ++k) EXPECT_EQ(large.matrix().row(3)[k], bias.data()[k] + resized.data()[k]);
}

// An encoder of vectors with a front end and all that may follow.
TransformerConfig picture_config() {
  TransformerConfig config;
  config.front = patches_config();
  config.encoder.num_layers = 2;
  config.encoder.layer.d_model = 6;
  config.encoder.layer.attention.num_heads = 2;
  config.encoder.layer.feed_forward.d_ff = 10;
  config.pool = {.num_heads = 3, .d_ff = 8};
  config.pooler.reads = config.head.reads = HeadInput::kPool;
  config.contrast = {.embeds = true, .compares = true, .bias = true};
  return config;
}

TransformerConfig sound_config(int bands) {
  TransformerConfig config = picture_config();
  config.front = FramesConfig{
      .bands = bands,
      .frames = bands > 0 ? 30 : 0,
      .convolutions = {{.name = "conv1", .out_width = 7, .window = 5, .stride = 2, .bias = false, .norm = true},
                       {.name = "conv2", .out_width = 6, .window = 3, .stride = 1, .padding = 1}}};
  return config;
}

// The rows of one sequence.
Tensor part_of(const Tensor& whole, int row) {
  Shape shape = whole.shape();
  const std::size_t size = whole.size() / static_cast<std::size_t>(shape[0]);
  shape[0] = 1;
  Tensor part(shape);
  std::copy_n(whole.data() + row * static_cast<std::ptrdiff_t>(size), size, part.data());
  return part;
}

ForwardResult run(const Transformer& model, Tensor values, Bench& bench, const Tensor& others = {}) {
  ForwardCall call;
  call.media.values = std::move(values);
  if (!others.empty()) call.others = others.clone();
  return forward(model, std::move(call), bench.workspace);
}

TEST(FrontEndTest, SameBitsForAnyBatchAndThreads) {
  Random random(4);
  for (const TransformerConfig& config : {picture_config(), sound_config(4), sound_config(0)}) {
    Weights weights = Weights::random(5);
    const Transformer model(weights, config);
    const bool is_picture = std::holds_alternative<PatchesConfig>(config.front);
    const bool is_wave = !is_picture && std::get<FramesConfig>(config.front).bands == 0;
    const Tensor values = random_tensor(random, is_picture ? Shape{3, 2, 9, 16}
                                                : is_wave  ? Shape{3, 90}
                                                           : Shape{3, 4, 30});
    Bench one(1), three(3);
    const ForwardResult batch = run(model, values.clone(), three);
    for (int row = 0; row < 3; ++row) {
      const ForwardResult alone = run(model, part_of(values, row), one);
      EXPECT_TRUE(same_bits(alone.output, part_of(batch.output, row)));
      EXPECT_TRUE(same_bits(alone.pooler_output, part_of(batch.pooler_output, row)));
      EXPECT_TRUE(same_bits(alone.embeds, part_of(batch.embeds, row)));
    }
    EXPECT_EQ(batch.grid.columns, is_picture ? 4 : 0);
  }
}

TEST(FrontEndTest, PartsAreObservable) {
  Bench bench;
  Weights weights = Weights::random(5), others = Weights::random(5);
  const Transformer pictures(weights, picture_config()), sound(others, sound_config(0));
  const auto paths = observable_paths(pictures, bench.workspace);
  EXPECT_THAT(paths, Contains("front.patches"));
  EXPECT_THAT(paths, Contains("pool.attention.weights"));
  EXPECT_THAT(observable_paths(sound, bench.workspace), Contains("front.conv1"));
  Collector collector;
  Bench observed(1, &collector);
  Random random(6);
  run(sound, random_tensor(random, {2, 90}), observed);
  EXPECT_EQ(collector.recorded.at("front.conv1").shape(), (Shape{2, 43, 7}));
  EXPECT_EQ(collector.recorded.at("pool.attention.weights").shape(), (Shape{2, 3, 1, 43}));
}

TEST(FrontEndTest, ProfilesItsParts) {
  Profiler profiler;
  Bench bench(1, nullptr, &profiler);
  Weights weights = Weights::random(5);
  const Transformer model(weights, sound_config(0));
  run(model, Tensor::zeros({1, 90}), bench);
  std::vector<std::string> paths;
  for (const Profiler::Part& part : profiler.parts()) paths.push_back(part.path);
  EXPECT_THAT(paths, Contains("front.conv1"));
  EXPECT_THAT(paths, Contains("front.norm"));
  EXPECT_THAT(paths, Contains("pool.attention.q_proj"));
}

TEST(FrontEndTest, MaskedSoundIsSoundWithoutThePadding) {
  Random random(7);
  Bench bench;
  Weights weights = Weights::random(5);
  TransformerConfig config = sound_config(0);
  std::get<FramesConfig>(config.front).convolutions[0].norm = false;
  const Transformer model(weights, config);
  MediaTensors media = {random_tensor(random, {1, 90}), Tensor::zeros({1, 90}), {}};
  std::fill_n(media.mask.data(), 40, 1.0f);
  const EncodedMedia encoded = model.front()->forward(media, bench.workspace);
  EXPECT_EQ(encoded.mask.shape(), (Shape{1, 43}));
  // A frame is real if its first sample is: two samples each.
  for (int frame = 0; frame < 43; ++frame) EXPECT_EQ(encoded.mask.data()[frame], frame < 20 ? 1 : 0);
}

TEST(FrontEndTest, RefusesWhatDoesNotFit) {
  Bench bench;
  Weights weights = Weights::random(5), others = Weights::random(5);
  const Transformer pictures(weights, picture_config()), sound(others, sound_config(4));
  const auto refused = [&](const Transformer& model, Tensor values) {
    return message_of([&] { run(model, std::move(values), bench); });
  };
  EXPECT_THAT(refused(pictures, Tensor::zeros({1, 3, 8, 12})), HasSubstr("[batch, 2, height, width]"));
  EXPECT_THAT(refused(pictures, Tensor::zeros({2, 3, 12})), HasSubstr("sides of at least 4, got [2, 3, 12]"));
  EXPECT_THAT(refused(sound, Tensor::zeros({4, 29})), HasSubstr("[batch, bands, frames] = [batch, 4, 30]"));
  EXPECT_THAT(message_of([&] {
                MediaTensors media = {Tensor::zeros({4, 30}), Tensor::zeros({4, 30}), {}};
                sound.front()->forward(media, bench.workspace);
              }),
              HasSubstr("cannot be masked"));
  TransformerConfig narrow = sound_config(4);
  std::get<FramesConfig>(narrow.front).convolutions.pop_back();
  Weights more = Weights::random(5);
  EXPECT_THAT(message_of([&] { Transformer(more, narrow); }), HasSubstr("width dModel"));
}

TEST(FrontEndTest, PatchesOfGridsHavePositionsOfTheirOwn) {
  Random random(8);
  Bench bench;
  TransformerConfig config = picture_config();
  auto& patches = std::get<PatchesConfig>(config.front);
  patches.sizes = PictureSizes::kPatches;
  patches.prefix.clear();
  patches.positions.of_prefix = 0;
  Weights weights = Weights::random(5);
  const Transformer model(weights, config);
  MediaTensors media = {random_tensor(random, {2, 6, 32}), {}, {2, 3, 2, 2}};
  const EncodedMedia encoded = model.front()->forward(media, bench.workspace);
  EXPECT_EQ(encoded.grid.columns, 0);
  EXPECT_EQ(encoded.mask.matrix().row(0)[5], 1);
  EXPECT_EQ(encoded.mask.matrix().row(1)[3], 1);
  EXPECT_EQ(encoded.mask.matrix().row(1)[4], 0);
  media.grids = {2, 3, 4, 2};
  EXPECT_THAT(message_of([&] { model.front()->forward(media, bench.workspace); }), HasSubstr("at most 6 patches"));
  media.grids = {};
  EXPECT_THAT(message_of([&] { model.front()->forward(media, bench.workspace); }),
              HasSubstr("spatialShapes is missing"));
}

TEST(ContrastTest, IsTheScaledCosine) {
  Random random(9);
  Bench bench(2);
  Weights weights = Weights::random(5);
  weights.add("contrast.scale", {1});
  weights.store("contrast.scale", 0, std::vector<float>{1.5f});
  weights.add("contrast.bias", {1});
  weights.store("contrast.bias", 0, std::vector<float>{-2.0f});
  const Transformer model(weights, picture_config());
  const Tensor others = random_tensor(random, {4, 6});
  const ForwardResult result = run(model, random_tensor(random, {2, 2, 8, 12}), bench, others);
  ASSERT_EQ(result.similarities.shape(), (Shape{2, 4}));
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 4; ++i) {
      double product = 0, a = 0, b = 0;
      for (int k = 0; k < 6; ++k) {
        const double x = result.logits.matrix().row(row)[k], y = others.matrix().row(i)[k];
        product += x * y;
        a += x * x;
        b += y * y;
      }
      EXPECT_NEAR(result.similarities.matrix().row(row)[i], std::exp(1.5) * product / std::sqrt(a * b) - 2, 1e-5);
      EXPECT_EQ(result.transposed.matrix().row(i)[row], result.similarities.matrix().row(row)[i]);
    }
  }
  EXPECT_THAT(message_of([&] { run(model, Tensor::zeros({2, 8, 12}), bench, Tensor::zeros({1, 5})); }),
              HasSubstr("vectors [count, 6]"));
  Tensor zeros = Tensor::zeros({1, 3});
  to_unit_rows(zeros.matrix(), zeros.matrix());
  EXPECT_EQ(zeros.data()[0], 0);
}

TEST(SentencePoolingTest, PoolsTheTokensThatCount) {
  Bench bench;
  Tensor states({6, 2});
  const std::vector<float> numbers = {1, -1, 3, 5, 2, 2, 9, 9, 4, 0, 9, 9};  // two texts of three tokens
  std::copy(numbers.begin(), numbers.end(), states.data());
  const std::vector<int> lengths = {3, 2};
  const auto pooled = [&](const SentenceCall& call, const OutputHead* steps = nullptr) {
    const Tensor made = pool_sentences({states.matrix(), {2, 3}, lengths}, steps, call, bench.workspace);
    return std::vector<float>(made.data(), made.data() + made.size());
  };
  EXPECT_EQ(pooled({.pooling = {Pooling::kCls}}), (std::vector<float>{1, -1, 9, 9}));
  EXPECT_EQ(pooled({.pooling = {Pooling::kLastToken}}), (std::vector<float>{2, 2, 4, 0}));
  EXPECT_EQ(pooled({.pooling = {Pooling::kMean}}), (std::vector<float>{2, 2, 6.5f, 4.5f}));
  EXPECT_EQ(pooled({.pooling = {Pooling::kMean}, .skipped = 1}), (std::vector<float>{2.5f, 3.5f, 4, 0}));
  EXPECT_EQ(pooled({.pooling = {Pooling::kMax, Pooling::kCls}}), (std::vector<float>{3, 5, 1, -1, 9, 9, 9, 9}));
  EXPECT_EQ(pooled({.pooling = {Pooling::kLastToken}, .dimensions = 1, .unit = true}), (std::vector<float>{1, 1}));
  const float root = std::sqrt(3.0f);
  EXPECT_EQ(pooled({.pooling = {Pooling::kMeanSqrtLen}})[0], 6 / root);
  Weights weights;
  add_tensor(weights, "0.weight", {1, 2}, {2, 1});
  const OutputHead steps(WeightScope(weights),
                         {.steps = {{.name = "0", .out_features = 1, .bias = false}, {.name = "unit", .unit = true}}},
                         2);
  EXPECT_EQ(pooled({.pooling = {Pooling::kLastToken}}, &steps), (std::vector<float>{6, 8}));
  EXPECT_EQ(pooled({.pooling = {Pooling::kLastToken}, .unit_steps = true}, &steps), (std::vector<float>{1, 1}));
  EXPECT_THAT(message_of([&] { pooled({.pooling = {Pooling::kMax, Pooling::kCls}}, &steps); }), HasSubstr("takes 2"));
}

}  // namespace
}  // namespace transformer
