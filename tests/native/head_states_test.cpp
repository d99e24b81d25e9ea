// src/transformer: which states a head reads.
#include "transformer/head_states.h"

#include <gmock/gmock.h>

#include "support/errors.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

// Two sequences of four tokens; the second one ends in padding (id 9).
struct Subject {
  Random random{5};
  LooseMatrix hidden{random, 8, 3};
  std::vector<int> ids = {4, 9, 5, 6, 7, 5, 9, 9};
  std::vector<float> padding = {0, 0, 0, 0, 0, 0, kForbidden, kForbidden};
  Sequences source = {.batch = 2, .time = 4, .ids = ids};

  Tensor states(HeadInput reads, int id, bool is_masked = true, int prefix = 0) {
    Weights weights = Weights::random(1);
    const OutputHead head(
        WeightScope(weights),
        {.steps = {{.name = "classifier", .out_features = 2}}, .reads = reads, .id = id, .prefix = prefix}, 3);
    const ScoreBias mask = {.data = padding.data(), .batch = 4, .key = 1};
    return states_for(head, {hidden.view(), {2, 4}, source, is_masked ? mask : ScoreBias{}});
  }
  bool are_rows(const Tensor& states, int first, int second) const {
    return same_bits(states.matrix().row_range(0, 1), hidden.view().row_range(first, 1)) &&
           same_bits(states.matrix().row_range(1, 1), hidden.view().row_range(second, 1));
  }
};

TEST(HeadStatesTest, ReadsTheFirstTheLastOfAKindOrTheLastOfAnother) {
  Subject subject;
  EXPECT_TRUE(subject.are_rows(subject.states(HeadInput::kFirst, -1), 0, 4));
  EXPECT_TRUE(subject.are_rows(subject.states(HeadInput::kLastIs, 5), 2, 5));
  EXPECT_TRUE(subject.are_rows(subject.states(HeadInput::kLastIsNot, 9), 3, 5));
  EXPECT_TRUE(subject.are_rows(subject.states(HeadInput::kLastIsNot, 9, false), 3, 5));
}

TEST(HeadStatesTest, WithoutAnIdTheMaskTellsWhereATextEnds) {
  Subject subject;
  EXPECT_TRUE(subject.are_rows(subject.states(HeadInput::kLastIsNot, -1), 3, 5));
  EXPECT_TRUE(subject.are_rows(subject.states(HeadInput::kLastIsNot, -1, false), 3, 7));
}

TEST(HeadStatesTest, TheMeanLeavesPaddingOut) {
  Subject subject;
  const Tensor means = subject.states(HeadInput::kMean, -1);
  for (int row = 0; row < 2; ++row) {
    for (int col = 0; col < 3; ++col) {
      double sum = 0;
      const int count = row == 0 ? 4 : 2;
      for (int i = 0; i < count; ++i) sum += subject.hidden.view().row(4 * row + i)[col];
      EXPECT_NEAR(means.matrix().row(row)[col], sum / count, 1e-6);
    }
  }
}

TEST(HeadStatesTest, ReadsTheFirstTokenOfAKindOrTheLargest) {
  Subject subject;
  EXPECT_TRUE(subject.are_rows(subject.states(HeadInput::kFirstIs, 9), 1, 6));
  EXPECT_TRUE(subject.are_rows(subject.states(HeadInput::kFirstIs, 5), 2, 5));
  EXPECT_TRUE(subject.are_rows(subject.states(HeadInput::kFirstIs, -1), 1, 6));
  EXPECT_THAT(error_of([&] { subject.states(HeadInput::kFirstIs, 4); }).what(),
              HasSubstr("sequence 1 does not have the token 4"));
}

TEST(HeadStatesTest, TheFirstStateStandsBesideTheMeanOfThoseAfterThePrefix) {
  Subject subject;
  for (const int prefix : {0, 1, 2}) {
    const Tensor both = subject.states(HeadInput::kFirstAndMean, -1, false, prefix);
    ASSERT_EQ(both.shape(), (Shape{2, 6}));
    for (int row = 0; row < 2; ++row) {
      for (int col = 0; col < 3; ++col) {
        double sum = 0;
        for (int i = prefix; i < 4; ++i) sum += subject.hidden.view().row(4 * row + i)[col];
        EXPECT_EQ(both.matrix().row(row)[col], subject.hidden.view().row(4 * row)[col]);
        EXPECT_NEAR(both.matrix().row(row)[3 + col], sum / (4 - prefix), 1e-6);
      }
    }
  }
  EXPECT_THAT(error_of([&] { subject.states(HeadInput::kFirstAndMean, -1, false, 4); }).what(),
              HasSubstr("its states have no mean"));
}

TEST(HeadStatesTest, RefusesASequenceOfPadding) {
  Subject subject;
  subject.ids.assign(8, 9);
  subject.padding.assign(8, kForbidden);
  for (const auto& [reads, message] : {std::pair(HeadInput::kLastIsNot, "the classifier has no state to read"),
                                       std::pair(HeadInput::kMean, "its states have no mean")}) {
    const Error error = error_of([&] { subject.states(reads, 9); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

}  // namespace
}  // namespace transformer
