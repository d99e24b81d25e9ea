// src/transformer: the paths of observable tensors and of heads, and what an observer of a pass records.
#include "transformer/observable_paths.h"

#include <gmock/gmock.h>

#include "support/collector.h"
#include "support/errors.h"
#include "support/random_model.h"
#include "transformer/pass.h"
#include "transformer/pass_observer.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAreArray;

TEST(ObservablePathsTest, PatternsMatchWholePathsNameByName) {
  const std::string path = "decoder.layers.1.cross_attn.weights";
  for (const char* pattern : {"decoder.layers.1.cross_attn.weights", "decoder.layers.1.cross.weights",
                              "decoder.layers.*.cross.weights", "*.*.*.*.*", "*.layers.1.*.weights"}) {
    EXPECT_TRUE(matches(pattern, path)) << pattern;
  }
  for (const char* pattern : {"", "*", "decoder.layers.1.cross", "decoder.layers.2.cross.weights",
                              "decoder.layers.1.self.weights", "decoder.layers.*.weights", "decoder..1.cross.weights",
                              "decoder.layers.1.cross.weight", "decoder.layers.1.cr*.weights"}) {
    EXPECT_FALSE(matches(pattern, path)) << pattern;
  }
  EXPECT_TRUE(matches("encoder.layers.0.residual", "encoder.layers.0.output")) << "a layer's residual is its output";
  EXPECT_TRUE(matches("encoder.layers.0.self.residual", "encoder.layers.0.self_attn.residual"));
}

TEST(ObservablePathsTest, ANameIsThePatternWithTheStarsFilledIn) {
  EXPECT_EQ(name_in("decoder.layers.*.cross.weights", "decoder.layers.1.cross_attn.weights"),
            "decoder.layers.1.cross.weights");
  EXPECT_EQ(name_in("encoder.output", "encoder.output"), "encoder.output");
  EXPECT_EQ(name_in("*.layers.*.residual", "encoder.layers.3.output"), "encoder.layers.3.residual");
}

Sequences input_of(const StackConfig& stack, const Ids& ids, const Tensor& vectors, int time) {
  if (stack.vocab > 0) return {.batch = 1, .time = time, .ids = std::span(ids).first(time)};
  return {.batch = 1, .time = time, .vectors = vectors.matrix().row_range(0, time)};
}

TEST(ObservablePathsTest, AreAllThatAPassOffers) {
  Random random(1);
  for (int round = 0; round < 12; ++round) {
    const TransformerConfig config = random_config(random, static_cast<Stacks>(round % 3));
    SCOPED_TRACE(describe(config));
    Weights weights = Weights::random(1);
    const Transformer model(weights, config);
    Collector collector;
    Bench bench(1, &collector);
    const Ids ids(6, 1);
    const Tensor vectors = Tensor::zeros({6, config.d_model()});
    run_pass(model,
             {.source = input_of(config.encoder, ids, vectors, 6), .target = input_of(config.decoder, ids, vectors, 4)},
             bench.workspace);
    std::vector<std::string> recorded;
    for (const auto& [path, tensor] : collector.recorded) recorded.push_back(path);
    Bench unobserved;
    EXPECT_THAT(observable_paths(model, unobserved.workspace), UnorderedElementsAreArray(recorded));
  }
}

class SmallModelTest : public ::testing::Test {
 protected:
  SmallModelTest() : weights_(Weights::random(1)), model_(weights_, config()) {
    paths_ = observable_paths(model_, bench_.workspace);
  }
  static TransformerConfig config() {
    TransformerConfig config = plain_config({.layers = 2, .d_model = 8, .heads = 2, .d_ff = 8, .vocab = 11});
    config.encoder.norm = config.decoder.norm = true;
    return config;
  }

  PassObserver observe(WantedTensors wanted) {
    PassObserver observer(std::move(wanted));
    Workspace workspace{bench_.arena, bench_.threads, &observer};
    const Ids ids = {1, 2, 3, 4};
    run_pass(model_, {.source = {1, 4, ids}, .target = {1, 3, std::span(ids).first(3)}}, workspace);
    return observer;
  }

  Bench bench_;
  Weights weights_;
  Transformer model_;
  std::vector<std::string> paths_;
};

TEST_F(SmallModelTest, APatternThatMatchesNothingIsRefusedWithWhatThereIs) {
  EXPECT_NO_THROW(require_matches({"encoder.layers.*.self.weights", "decoder.layers.1.logits"}, paths_));
  const Error error = error_of([&] { require_matches({"encoder.output", "encoder.layers.2.output"}, paths_); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("trace: no tensor matches 'encoder.layers.2.output'; the tensors are "));
  EXPECT_THAT(error.what(), HasSubstr("decoder.layers.*.cross_attn.weights"));
}

TEST_F(SmallModelTest, FactorsOfHeadsCoverTheirWholeLayer) {
  const HeadFactors factors =
      head_factors({{"decoder.layers.*.cross.1", 0.0f}, {"encoder.layers.0.self.0", 0.5f}}, model_, paths_);
  EXPECT_THAT(factors, ElementsAre(Pair("decoder.layers.0.cross_attn", ElementsAre(1.0f, 0.0f)),
                                   Pair("decoder.layers.1.cross_attn", ElementsAre(1.0f, 0.0f)),
                                   Pair("encoder.layers.0.self_attn", ElementsAre(0.5f, 1.0f))));
  EXPECT_TRUE(head_factors({}, model_, paths_).empty());
  for (const char* pattern : {"encoder.layers.0.cross.0", "decoder.layers.0.self.2", "decoder.layers.0.self"}) {
    const Error error = error_of([&] { head_factors({{pattern, 0.0f}}, model_, paths_); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(concat("heads: no head matches '", pattern, "'; the heads are ")));
    EXPECT_THAT(error.what(), HasSubstr("decoder.layers.1.cross_attn.0 to 1"));
  }
}

TEST_F(SmallModelTest, AnObserverRecordsAttentionsAndHiddenStatesInTheOrderOfTheLayers) {
  const PassObserver observer = observe({.attentions = true, .hidden_states = true});
  const std::vector<const Tensor*> cross = observer.all("decoder.layers.*.cross_attn.weights");
  ASSERT_EQ(cross.size(), 2u);
  EXPECT_EQ(cross[1]->shape(), (Shape{1, 2, 3, 4}));
  EXPECT_EQ(observer.all("encoder.layers.*.self_attn.weights")[0]->shape(), (Shape{1, 2, 4, 4}));
  EXPECT_TRUE(observer.all("encoder.layers.*.cross_attn.weights").empty());
  const PassObserver traced = observe({.trace = {"encoder.embeddings", "encoder.layers.*.output", "encoder.output"}});
  const std::vector<Traced> parts = traced.trace();
  ASSERT_EQ(parts.size(), 4u);
  const std::vector<const Tensor*> states = observer.hidden_states("encoder");
  ASSERT_EQ(states.size(), 3u) << "the embeddings and two layers";
  EXPECT_TRUE(same_bits(*states[0], *parts[0].tensor));
  EXPECT_TRUE(same_bits(*states[1], *parts[1].tensor));
  EXPECT_TRUE(same_bits(*states[2], *parts[3].tensor)) << "the last one comes after the final norm";
  const PassObserver before_norm = observe({.hidden_states = true, .last_state_before_norm = "encoder"});
  EXPECT_TRUE(same_bits(*before_norm.hidden_states("encoder")[2], *parts[2].tensor));
  EXPECT_FALSE(WantedTensors{}.anything());
}

TEST_F(SmallModelTest, ATraceHasEachTensorOnceUnderTheNameOfItsPattern) {
  const std::vector<Traced> traced =
      observe({.trace = {"decoder.layers.*.cross.weights", "decoder.layers.1.cross.weights", "decoder.output"}})
          .trace();
  std::vector<std::pair<std::string, std::string>> names;
  for (const Traced& one : traced) names.emplace_back(one.name, one.path);
  EXPECT_THAT(names, ElementsAre(Pair("decoder.layers.0.cross.weights", "decoder.layers.0.cross_attn.weights"),
                                 Pair("decoder.layers.1.cross.weights", "decoder.layers.1.cross_attn.weights"),
                                 Pair("decoder.output", "decoder.output")));
}

// The last layer's logits in the lens are those of the model.
TEST_F(SmallModelTest, TheLogitLensEndsInTheLogitsOfTheModel) {
  PassObserver observer({.trace = {"decoder.layers.*.logits"}});
  Workspace workspace{bench_.arena, bench_.threads, &observer};
  const Ids ids = {1, 2, 3, 4};
  const PassOutput output =
      run_pass(model_, {.source = {1, 4, ids}, .target = {1, 3, std::span(ids).first(3)}}, workspace);
  const std::vector<Traced> lens = observer.trace();
  ASSERT_EQ(lens.size(), 2u);
  EXPECT_EQ(lens[1].tensor->shape(), (Shape{1, 3, 11}));
  EXPECT_TRUE(same_bits(lens[1].tensor->data(), output.logits.data(), output.logits.size()));
}

}  // namespace
}  // namespace transformer
