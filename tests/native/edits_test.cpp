// src/transformer: changes of inner tensors.
#include "transformer/edits.h"

#include <gmock/gmock.h>

#include "support/collector.h"
#include "support/errors.h"
#include "support/random_model.h"
#include "transformer/observable_paths.h"
#include "transformer/pass.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

Sequences input_of(const StackConfig& stack, const Ids& ids, const Tensor& vectors, int batch, int time) {
  if (stack.vocab > 0) return {.batch = batch, .time = time, .ids = std::span(ids).first(batch * time)};
  return {.batch = batch, .time = time, .vectors = vectors.matrix().row_range(0, batch * time)};
}

struct Outcome {
  std::map<std::string, Tensor> tensors;
  Tensor result;
};

// Two sequences through a model, edited.
class Runner {
 public:
  explicit Runner(const TransformerConfig& config) : weights_(Weights::random(1)), model(weights_, config) {
    Bench bench;
    paths = observable_paths(model, bench.workspace);
    for (int i = 0; i < 12; ++i) ids_.push_back(i % std::max(1, std::max(config.encoder.vocab, config.decoder.vocab)));
    vectors_ = Tensor({12, config.d_model()});
    for (std::size_t i = 0; i < vectors_.size(); ++i) vectors_.data()[i] = 0.1f * static_cast<float>(i % 17);
  }

  Outcome run(std::vector<Edit> list, int threads = 1) const {
    Edits edits(std::move(list), model, paths);
    Collector collector;
    Bench bench(threads, &collector);
    bench.workspace.editor = &edits;
    const TransformerConfig& config = model.config();
    PassOutput output = run_pass(model,
                                 {.source = input_of(config.encoder, ids_, vectors_, 2, 6),
                                  .target = input_of(config.decoder, ids_, vectors_, 2, 4)},
                                 bench.workspace);
    edits.require_used();
    Tensor& result = model.has_decoder() ? output.hidden : output.memory;
    return {std::move(collector.recorded), std::move(result)};
  }

 private:
  Weights weights_;
  Ids ids_;
  Tensor vectors_;

 public:
  const Transformer model;
  std::vector<std::string> paths;
};

bool is_editable(const std::string& path) { return !path.ends_with(".logits") && !path.ends_with(".cells"); }

Edit edit_of(const std::string& at, EditKind kind, Tensor values) {
  Edit edit;
  edit.at = at;
  edit.kind = kind;
  edit.values = std::move(values);
  return edit;
}

Tensor scalar(float value) {
  Tensor tensor({1});
  tensor.data()[0] = value;
  return tensor;
}

TransformerConfig plain() { return plain_config({.layers = 2, .d_model = 8, .heads = 2, .d_ff = 8, .vocab = 11}); }

TEST(EditsTest, SettingWhatWasThereChangesNoBit) {
  Random random(3);
  for (int round = 0; round < 12; ++round) {
    const TransformerConfig config = random_config(random, static_cast<Stacks>(round % 3));
    SCOPED_TRACE(describe(config));
    const Runner runner(config);
    const Outcome before = runner.run({});
    for (const auto& [path, tensor] : before.tensors) {
      if (!is_editable(path)) continue;
      SCOPED_TRACE(path);
      std::vector<Edit> edits;
      edits.push_back(edit_of(path, EditKind::kSet, tensor.clone()));
      const Outcome after = runner.run(std::move(edits));
      EXPECT_TRUE(same_bits(after.result, before.result));
    }
  }
}

TEST(EditsTest, EveryEditChangesTheResultAndIsWhatATraceShows) {
  const Runner runner(plain());
  const Outcome before = runner.run({});
  for (const std::string& path : runner.paths) {
    if (!is_editable(path)) continue;
    SCOPED_TRACE(path);
    std::vector<Edit> edits;
    edits.push_back(edit_of(path, EditKind::kScale, scalar(0.5f)));
    const Outcome after = runner.run(std::move(edits), 3);
    EXPECT_FALSE(same_bits(after.result, before.result));
    const Tensor &was = before.tensors.at(path), &is = after.tensors.at(path);
    for (std::size_t i = 0; i < was.size(); ++i) {
      if (!std::isfinite(was.data()[i])) continue;
      ASSERT_EQ(is.data()[i], 0.5f * was.data()[i]);
    }
  }
}

TEST(EditsTest, AnEditOfAStateIsTheRunThatHadIt) {
  const Runner runner(plain());
  std::vector<Edit> first;
  first.push_back(edit_of("encoder.layers.0.residual", EditKind::kAdd, scalar(0.25f)));
  const Outcome other = runner.run(std::move(first));
  std::vector<Edit> second;
  second.push_back(
      edit_of("encoder.layers.0.residual", EditKind::kSet, other.tensors.at("encoder.layers.0.output").clone()));
  EXPECT_TRUE(same_bits(runner.run(std::move(second)).result, other.result));
}

TEST(EditsTest, RowsPositionsAndHeadsAreChosen) {
  const Runner runner(plain());
  const Outcome before = runner.run({});
  Edit edit = edit_of("encoder.layers.0.self.queries", EditKind::kSet, scalar(7.0f));
  edit.rows = {1};
  edit.positions = {2, 4};
  edit.heads = {1};
  std::vector<Edit> edits;
  edits.push_back(std::move(edit));
  const Outcome after = runner.run(std::move(edits));
  const Tensor &was = before.tensors.at("encoder.layers.0.self_attn.queries"),
               &is = after.tensors.at("encoder.layers.0.self_attn.queries");
  for (int row = 0; row < 12; ++row) {
    for (int column = 0; column < 8; ++column) {
      const bool is_chosen = (row == 8 || row == 10) && column >= 4;
      EXPECT_EQ(is.matrix().row(row)[column], is_chosen ? 7.0f : was.matrix().row(row)[column])
          << row << ", " << column;
    }
  }
}

TEST(EditsTest, WeightsOfAHeadThatAreZeroSwitchItOff) {
  const Runner runner(plain());
  Edit edit = edit_of("encoder.layers.1.self.weights", EditKind::kSet, scalar(0.0f));
  edit.heads = {0};
  std::vector<Edit> edits;
  edits.push_back(std::move(edit));
  const Outcome edited = runner.run(std::move(edits));
  const HeadFactors factors = head_factors({{"encoder.layers.1.self.0", 0.0f}}, runner.model, runner.paths);
  const auto found = factors.find("encoder.layers.1.self_attn");
  ASSERT_NE(found, factors.end());
  EXPECT_EQ(edited.tensors.at("encoder.layers.1.self_attn.weights").data()[0], 0.0f);
  EXPECT_NE(edited.tensors.at("encoder.layers.1.self_attn.weights").data()[36], 0.0f) << "the other head";
}

TEST(EditsTest, WeightsFollowFromScores) {
  const Runner runner(plain());
  Tensor values = Tensor::zeros({6});
  values.data()[0] = 1000.0f;
  Edit edit = edit_of("encoder.layers.0.self.scores", EditKind::kSet, std::move(values));
  edit.positions = {3};
  std::vector<Edit> edits;
  edits.push_back(std::move(edit));
  const Outcome found = runner.run(std::move(edits));
  const ConstView weights = found.tensors.at("encoder.layers.0.self_attn.weights").matrix();
  EXPECT_EQ(weights.row(3)[0], 1.0f);
  EXPECT_EQ(weights.row(3)[1], 0.0f);
}

TEST(EditsTest, RefusesWhatTheModelDoesNotHave) {
  const Runner runner(plain());
  const auto refused = [&](Edit edit) {
    std::vector<Edit> edits;
    edits.push_back(std::move(edit));
    const Error error = error_of([&] { runner.run(std::move(edits)); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return std::string(error.what());
  };
  const auto with = [](const std::string& at, const std::function<void(Edit&)>& change) {
    Edit edit = edit_of(at, EditKind::kSet, scalar(1.0f));
    change(edit);
    return edit;
  };
  EXPECT_THAT(refused(with("encoder.layers.2.residual", [](Edit&) {})), HasSubstr("edits: no tensor matches"));
  EXPECT_THAT(refused(with("decoder.layers.0.logits", [](Edit&) {})), HasSubstr("can be traced, but not edited"));
  EXPECT_THAT(refused(with("encoder.output", [](Edit& edit) { edit.heads = {0}; })), HasSubstr("has no heads"));
  EXPECT_THAT(refused(with("encoder.layers.0.self.weights", [](Edit& edit) { edit.heads = {2}; })),
              HasSubstr("has no head 2; it has 2"));
  EXPECT_THAT(refused(with("encoder.output", [](Edit& edit) { edit.positions = {6}; })),
              HasSubstr("has no position 6"));
  EXPECT_THAT(refused(with("encoder.output", [](Edit& edit) { edit.rows = {2}; })), HasSubstr("has no row 2"));
  EXPECT_THAT(refused(with("encoder.output", [](Edit& edit) { edit.values = Tensor::zeros({5, 8}); })),
              HasSubstr("is [2, 6, 8], the values are [5, 8]"));
  EXPECT_THAT(refused(with("encoder.output", [](Edit& edit) { edit.values = Tensor::zeros({7}); })),
              HasSubstr("the values are [7]"));
}

}  // namespace
}  // namespace transformer
