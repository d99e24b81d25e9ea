// src/generation/timestamp_rules: what Whisper may write next, by the rules of its paper.
#include "generation/timestamp_rules.h"

#include <gmock/gmock.h>

#include "base/forbidden.h"

namespace transformer {
namespace {

using ::testing::ElementsAre;

// Words 0 to 2, the end token 3, a token that switches timestamps off 4, timestamps from 5 to 9.
std::vector<int> allowed_after(const std::vector<int>& written, std::vector<float> scores, int max_initial = -1) {
  GenerationOptions options;
  options.eos_token_ids = {3};
  options.first_timestamp_id = 5;
  options.max_initial_timestamp_index = max_initial;
  apply_timestamp_rules(options, written, scores);
  std::vector<int> allowed;
  for (int id = 0; id < 10; ++id) {
    if (scores[id] != kForbidden) allowed.push_back(id);
  }
  return allowed;
}

const std::vector<float> kLikelyWords = {9, 9, 9, 9, 9, 0, 0, 0, 0, 0};

TEST(TimestampRulesTest, ASequenceStartsWithATimestamp) {
  EXPECT_THAT(allowed_after({}, kLikelyWords), ElementsAre(5, 6, 7, 8, 9));
  EXPECT_THAT(allowed_after({}, kLikelyWords, 1), ElementsAre(5, 6));
  EXPECT_THAT(allowed_after({}, kLikelyWords, 50), ElementsAre(5, 6, 7, 8, 9));
}

TEST(TimestampRulesTest, TimestampsComeInPairs) {
  EXPECT_THAT(allowed_after({5}, kLikelyWords), ElementsAre(0, 1, 2, 3));           // the first stands alone
  EXPECT_THAT(allowed_after({5, 1, 7}, kLikelyWords), ElementsAre(3, 7, 8, 9));     // the end, or the next segment
  EXPECT_THAT(allowed_after({5, 1, 7, 7}, kLikelyWords), ElementsAre(0, 1, 2, 3));  // a new segment
  EXPECT_THAT(allowed_after({5, 1, 9, 9}, kLikelyWords), ElementsAre(0, 1, 2, 3));
}

TEST(TimestampRulesTest, TimestampsNeverGoBack) {
  EXPECT_THAT(allowed_after({5, 1}, kLikelyWords), ElementsAre(0, 1, 2, 3, 6, 7, 8, 9));
  EXPECT_THAT(allowed_after({5, 1, 7, 8, 2}, kLikelyWords), ElementsAre(0, 1, 2, 3, 9));
  EXPECT_THAT(allowed_after({5, 1, 9, 9, 2}, kLikelyWords), ElementsAre(0, 1, 2, 3));
}

TEST(TimestampRulesTest, TogetherTimestampsMayBeMoreLikelyThanAnyWord) {
  // Four timestamps of log-probability 0 together have log(4) = 1.386.
  EXPECT_THAT(allowed_after({5, 1}, {1.38f, 0, 0, 0, 0, 0, 0, 0, 0, 0}), ElementsAre(6, 7, 8, 9));
  EXPECT_THAT(allowed_after({5, 1}, {1.39f, 0, 0, 0, 0, 0, 0, 0, 0, 0}), ElementsAre(0, 1, 2, 3, 6, 7, 8, 9));
}

}  // namespace
}  // namespace transformer
