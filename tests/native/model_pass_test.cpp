// src/transformer: passes of whole models over batches and over tensors, with heads, masks and every shape of input.
#include "transformer/model_pass.h"

#include <gmock/gmock.h>

#include "kernels/activation.h"
#include "support/errors.h"
#include "support/input_tensors.h"
#include "support/random_model.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

// A model with inputs for both of its stacks, three sequences of one length each.
struct Subject {
  Subject(Random& random, const TransformerConfig& config)
      : weights(Weights::random(random.next())), model(weights, config) {
    src = input_of(random, config.encoder, 7);
    tgt = input_of(random, config.decoder, 5);
  }

  static InputTensor input_of(Random& random, const StackConfig& stack, int time) {
    if (stack.vocab > 0) return ids_input({kBatch, time}, random_ids(random, kBatch * time, stack.vocab));
    return vectors_input(random_tensor(random, {kBatch, time, stack.layer.d_model}));
  }

  ForwardCall call(bool is_causal = true) const { return {copy_of(src), copy_of(tgt), {}, {}, {}, is_causal}; }
  ForwardCall call_of(int row) const {
    return {model.has_encoder() ? sequence_of(src, row) : InputTensor(),
            model.has_decoder() ? sequence_of(tgt, row) : InputTensor(),
            {},
            {},
            {},
            true};
  }

  static constexpr int kBatch = 3;
  Weights weights;
  Transformer model;
  InputTensor src, tgt;
};

// [batch, ...] at `row` is `alone` [...], bit for bit; or both are missing.
void expect_row(const Tensor& batched, int row, const Tensor& alone) {
  if (batched.empty()) {
    EXPECT_TRUE(alone.empty());
    return;
  }
  EXPECT_EQ(alone.shape(), Shape(batched.shape().begin() + 1, batched.shape().end()));
  EXPECT_TRUE(same_bits(batched.data() + row * alone.size(), alone.data(), alone.size()));
}

class ModelPassTest : public ::testing::TestWithParam<Stacks> {};
INSTANTIATE_TEST_SUITE_P(Stacks, ModelPassTest, ::testing::Values(Stacks::kBoth, Stacks::kEncoder, Stacks::kDecoder));

TEST_P(ModelPassTest, ForwardIsRunPassInTheShapesOfItsInputs) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const TransformerConfig config = random_config(random, GetParam());
    SCOPED_TRACE(describe(config));
    const Subject subject(random, config);
    const Transformer& model = subject.model;
    Bench bench(2);
    const ForwardResult result = forward(model, subject.call(), bench.workspace);
    PassInput input;
    input.source = model.has_encoder() ? subject.src.sequences() : Sequences();
    input.target = model.has_decoder() ? subject.tgt.sequences() : Sequences();
    input.source_mask.causal = !model.has_decoder();
    input.target_masks.self.causal = true;
    const PassOutput expected = run_pass(model, std::move(input), bench.workspace);
    const int time = model.has_decoder() ? 5 : 7;
    EXPECT_EQ(result.logits.shape(), (Shape{Subject::kBatch, time, config.projection.vocab}));
    EXPECT_TRUE(same_bits(result.logits.data(), expected.logits.data(), expected.logits.size()));
    const Tensor& memory = model.has_decoder() ? result.encoder_output : result.output;
    EXPECT_EQ(memory.size(), expected.memory.size());
    EXPECT_TRUE(same_bits(memory.data(), expected.memory.data(), memory.size()));
    EXPECT_EQ(result.output.empty(), model.has_decoder()) << "a decoder with a projection gives logits alone";
    for (int row = 0; row < Subject::kBatch; ++row) {
      const ForwardResult alone = forward(model, subject.call_of(row), bench.workspace);
      expect_row(result.output, row, alone.output);
      expect_row(result.logits, row, alone.logits);
      expect_row(result.encoder_output, row, alone.encoder_output);
    }
  }
}

TEST_P(ModelPassTest, EncodeThenDecodeIsForward) {
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    TransformerConfig config = random_config(random, GetParam());
    const bool has_projection = round % 2 == 0;
    if (!has_projection) config.projection = {};
    SCOPED_TRACE(describe(config));
    const Subject subject(random, config);
    const Transformer& model = subject.model;
    Bench bench;
    const ForwardResult expected = forward(model, subject.call(), bench.workspace);
    Tensor memory;
    if (model.has_encoder()) {
      EncodeCall call = {copy_of(subject.src), {}, !model.has_decoder()};
      memory = encode(model, std::move(call), bench.workspace);
      EXPECT_TRUE(same_bits(memory, model.has_decoder() ? expected.encoder_output : expected.output));
    }
    if (!model.has_decoder()) continue;
    DecodeCall call = {copy_of(subject.tgt), model.has_encoder() ? vectors_input(memory) : InputTensor(), {}, {}};
    const DecodeResult result = decode(model, std::move(call), bench.workspace);
    EXPECT_TRUE(
        same_bits(has_projection ? result.logits : result.output, has_projection ? expected.logits : expected.output));
    EXPECT_TRUE((has_projection ? result.output : result.logits).empty());
  }
}

TEST_P(ModelPassTest, SkippedPaddingIsZerosAndChangesNothingElse) {
  if (GetParam() == Stacks::kDecoder) return;
  Random random(7);
  for (int round = 0; round < 12; ++round) {
    TransformerConfig config = random_config(random, GetParam());
    const bool is_per_sequence = round % 3 == 1 && GetParam() == Stacks::kEncoder;
    if (is_per_sequence) {
      config.head = {.steps = {{.name = "classifier", .out_features = 4}}, .reads = HeadInput::kFirst};
      config.projection = {};
    }
    SCOPED_TRACE(describe(config));
    const Subject subject(random, config);
    Bench bench(2);
    const bool has_gap = round == 5;  // padding before a token is computed
    const std::vector<int> lengths = {4, 7, 1};
    const auto run = [&](bool skips_padding) {
      ForwardCall call = subject.call(false);
      Tensor mask = Tensor::zeros({Subject::kBatch, 7});
      for (int row = 0; row < Subject::kBatch; ++row) std::fill_n(mask.matrix().row(row), lengths[row], 1.0f);
      if (has_gap) mask.matrix().row(2)[6] = 1.0f;
      call.src_masks.padding = mask.clone();
      call.memory_masks.padding = subject.model.has_decoder() ? mask.clone() : Tensor();
      call.skips_padding = skips_padding;
      return forward(subject.model, std::move(call), bench.workspace);
    };
    const ForwardResult expected = run(false), result = run(true);
    const auto check = [&](const Tensor& all, const Tensor& skipped) {
      ASSERT_EQ(skipped.shape(), all.shape());
      for (int row = 0; row < all.matrix().rows; ++row) {
        const bool is_real = row % 7 < lengths[row / 7] || (has_gap && row / 7 == 2);
        const ConstView found = skipped.matrix().row_range(row, 1);
        if (is_real) {
          EXPECT_TRUE(same_bits(found, all.matrix().row_range(row, 1))) << "row " << row;
        } else {
          EXPECT_EQ(std::count(found.data, found.data + found.cols, 0.0f), found.cols) << "row " << row;
        }
      }
    };
    const bool decodes = subject.model.has_decoder();
    check(decodes ? expected.encoder_output : expected.output, decodes ? result.encoder_output : result.output);
    if (decodes || is_per_sequence) {
      EXPECT_TRUE(same_bits(result.logits, expected.logits));
    } else {
      check(expected.logits, result.logits);
    }
  }
}

// A padded sequence gives the bits of the sequence alone; the masks of each stack are its own.
TEST(ModelPassMaskTest, PaddingIsThatOfTheShorterSequence) {
  Random random(3);
  for (int round = 0; round < 10; ++round) {
    const TransformerConfig config = random_config(random, Stacks::kBoth);
    SCOPED_TRACE(describe(config));
    const Subject subject(random, config);
    Bench bench;
    const auto shortened = [](const InputTensor& input, int time) {
      if (input.is_ids) return ids_input({time}, {input.ids.begin(), input.ids.begin() + time});
      Tensor vectors({time, input.shape.back()});
      std::copy_n(input.vectors.data(), vectors.size(), vectors.data());
      return vectors_input(vectors);
    };
    ForwardCall call = subject.call();
    const auto padding = [](int time, int length) {  // of the first of the sequences
      Tensor mask({Subject::kBatch, time});
      std::fill_n(mask.data(), mask.size(), 1.0f);
      std::fill(mask.data() + length, mask.data() + time, 0.0f);
      return mask;
    };
    call.src_masks.padding = padding(7, 4);
    call.memory_masks.padding = padding(7, 4);
    call.tgt_masks.padding = padding(5, 2);
    const ForwardResult padded = forward(subject.model, std::move(call), bench.workspace);
    const ForwardResult alone = forward(
        subject.model, {shortened(subject.src, 4), shortened(subject.tgt, 2), {}, {}, {}, true}, bench.workspace);
    EXPECT_TRUE(same_bits(padded.encoder_output.data(), alone.encoder_output.data(), alone.encoder_output.size()));
    EXPECT_TRUE(same_bits(padded.logits.data(), alone.logits.data(), alone.logits.size()));
  }
}

TransformerConfig bert_config() {
  TransformerConfig config = plain_config({.layers = 1, .d_model = 8, .heads = 2, .d_ff = 8, .vocab = 11});
  config.decoder = {};
  config.projection = {};
  return config;
}

TEST(ModelPassHeadTest, APoolerAndAClassifierReadTheFirstState) {
  Random random(4);
  TransformerConfig config = bert_config();
  config.pooler = {{{.name = "dense", .out_features = 8, .activation = Activation::kTanh}}, HeadInput::kFirst};
  config.head = {{{.name = "classifier", .out_features = 3}}, HeadInput::kFirst};
  const Subject subject(random, config);
  Bench bench;
  const ForwardResult result = forward(subject.model, subject.call(false), bench.workspace);
  EXPECT_EQ(result.pooler_output.shape(), (Shape{3, 8}));
  EXPECT_EQ(result.logits.shape(), (Shape{3, 3}));
  Tensor first({3, 8}), pooled({3, 8}), logits({3, 3});
  for (int row = 0; row < 3; ++row) std::copy_n(result.output.matrix().row(row * 7), 8, first.matrix().row(row));
  subject.model.pooler()->forward(first.matrix(), pooled.matrix(), bench.workspace);
  subject.model.head()->forward(first.matrix(), logits.matrix(), bench.workspace);
  EXPECT_TRUE(same_bits(result.pooler_output, pooled));
  EXPECT_TRUE(same_bits(result.logits, logits));
  ForwardCall alone = {sequence_of(subject.src, 1), {}, {}, {}, {}};
  const ForwardResult one = forward(subject.model, std::move(alone), bench.workspace);
  expect_row(result.pooler_output, 1, one.pooler_output);
  expect_row(result.logits, 1, one.logits);
  const Error error =
      error_of([&] { forward(subject.model, {ids_input({1, 0}, {}), {}, {}, {}, {}}, bench.workspace); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("the sequence is empty, so it has no first hidden state"));
}

TEST(ModelPassHeadTest, AClassifierReadsTheStateAtTheLastSuchTokenOfItsSource) {
  TransformerConfig config = plain_config({.layers = 1, .d_model = 8, .heads = 2, .d_ff = 8, .vocab = 11});
  config.projection = {};
  config.head = {.steps = {{.name = "classifier", .out_features = 3}}, .reads = HeadInput::kLastIs, .id = 2};
  Weights weights = Weights::random(9);
  const Transformer model(weights, config);
  const InputTensor source = ids_input({2, 5}, {4, 2, 5, 2, 7, 1, 2, 6, 3, 8});
  Bench bench;
  for (const bool skips_padding : {false, true}) {
    ForwardCall call = {copy_of(source), copy_of(source), {}, {}, {}};
    call.src_masks.padding = Tensor({2, 5});
    for (int i = 0; i < 10; ++i) call.src_masks.padding.data()[i] = i == 4 || i > 7 ? 0.0f : 1.0f;
    call.skips_padding = skips_padding;
    const Tensor padding = mask_to_bias(call.src_masks.padding.clone(), "padding");
    PassInput input;
    input.source = input.target = source.sequences();
    input.source_mask.padding = {.data = padding.data(), .batch = 5, .key = 1};
    input.skips_padding = skips_padding;
    const PassOutput pass = run_pass(model, std::move(input), bench.workspace);
    Tensor states({2, 8}), logits({2, 3});
    std::copy_n(pass.hidden.matrix().row(3), 8, states.matrix().row(0));
    std::copy_n(pass.hidden.matrix().row(6), 8, states.matrix().row(1));
    model.head()->forward(states.matrix(), logits.matrix(), bench.workspace);
    EXPECT_TRUE(same_bits(forward(model, std::move(call), bench.workspace).logits, logits)) << skips_padding;
  }
  const InputTensor without = ids_input({1, 2}, {4, 5});
  const Error error =
      error_of([&] { forward(model, {copy_of(without), copy_of(without), {}, {}, {}}, bench.workspace); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("does not have the token 2, at which the classifier reads the state"));
}

TEST(ModelPassHeadTest, AHeadOnEveryStateComesBeforeTheProjection) {
  Random random(5);
  TransformerConfig config = bert_config();
  config.head = {{{.name = "dense", .out_features = 8, .activation = Activation::kGelu}, {.name = "norm"}}};
  config.projection = {.vocab = 11, .tied = true};
  const Subject subject(random, config);
  Bench bench;
  const ForwardResult result = forward(subject.model, subject.call(false), bench.workspace);
  Tensor transformed({21, 8});
  subject.model.head()->forward(result.output.matrix(), transformed.matrix(), bench.workspace);
  Tensor logits({21, 11});
  subject.model.projection().forward(transformed.matrix(), logits.matrix(), bench.workspace);
  EXPECT_EQ(result.logits.shape(), (Shape{3, 7, 11}));
  EXPECT_TRUE(same_bits(result.logits.data(), logits.data(), logits.size()));
}

TEST(ModelPassErrorTest, RefusesInputsThatDoNotFit) {
  Random random(6);
  const TransformerConfig config = plain_config({.layers = 1, .d_model = 8, .heads = 2, .d_ff = 8, .vocab = 11});
  const Subject subject(random, config);
  Bench bench;
  const auto refused = [](const auto& call, const char* message) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(message));
  };
  const auto ids = [](const Shape& shape) { return ids_input(shape, Ids(element_count(shape), 1)); };
  const auto vectors = [](const Shape& shape) { return vectors_input(Tensor::zeros(shape)); };
  const auto run = [&](InputTensor src, InputTensor tgt, MaskTensors src_masks = {}, MaskTensors tgt_masks = {},
                       MaskTensors memory_masks = {}) {
    ForwardCall call = {std::move(src), std::move(tgt), std::move(src_masks), std::move(tgt_masks),
                        std::move(memory_masks)};
    return [&, call = std::make_shared<ForwardCall>(std::move(call))] {
      forward(subject.model, std::move(*call), bench.workspace);
    };
  };
  refused(run({}, ids({2, 5})), "src is missing");
  refused(run(ids({2, 5}), {}), "tgt is missing");
  refused(run(vectors({2, 5, 8}), ids({2, 5})),
          "src must be token ids of shape [batch, time], got the shape [2, 5, 8]");
  refused(run(ids({1, 2, 3}), ids({2, 5})), "src must be token ids of shape [batch, time], got the shape [1, 2, 3]");
  refused(run(ids({2, 5}), ids({3, 5})), "src and tgt must have the same batch size, got 2 and 3");
  const Shape wrong = {3, 3};
  refused(run(ids({2, 5}), ids({2, 4}), {Tensor::zeros(wrong), {}, {}}), "srcMask of shape [3, 3]");
  refused(run(ids({2, 5}), ids({2, 4}), {}, {{}, Tensor::zeros(wrong), {}}), "tgtBias of shape [3, 3]");
  refused(run(ids({2, 5}), ids({2, 4}), {}, {}, {{}, {}, Tensor::zeros(wrong)}),
          "memoryKeyPaddingMask must have the shape [batch, keys] = [2, 5], got [3, 3]");
  InputTensor typed = ids({2, 5});
  typed.token_types = Ids(10, 0);
  refused(run(std::move(typed), ids({2, 4})), "this model has no token types");

  const auto run_decode = [&](const InputTensor& memory) {
    return [&] { decode(subject.model, {ids({2, 5}), copy_of(memory), {}, {}}, bench.workspace); };
  };
  refused(run_decode({}), "memory is missing");
  refused(run_decode(ids({2, 5})), "memory must be vectors of shape [batch, time, 8], got the shape [2, 5]");
  refused(run_decode(vectors({2, 5, 7})), "memory must have the width 8, got the shape [2, 5, 7]");
  refused(run_decode(vectors({3, 5, 8})), "tgt and memory must have the same batch size, got 2 and 3");

  const Subject encoder(random, bert_config());
  refused([&] { decode(encoder.model, {ids({2, 5}), {}, {}, {}}, bench.workspace); }, "this model has no decoder");
  TransformerConfig decoder_only = config;
  decoder_only.encoder = {};
  const Subject decoder(random, decoder_only);
  refused([&] { encode(decoder.model, {ids({2, 5}), {}}, bench.workspace); }, "this model has no encoder");
}

}  // namespace
}  // namespace transformer
