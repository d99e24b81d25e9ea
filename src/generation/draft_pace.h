// How many tokens to draft, by how often drafts were right and by what they cost. The cost depends on the model, its
// number type and the machine: where a step waits for memory, one pass verifies several tokens in little more time;
// where it computes, in as many times the time.
#pragma once

namespace transformer {

class DraftPace {
 public:
  static constexpr double kUsualCost = 0.25;  // of guessing and verifying a token, in passes over one

  // longest: tokens of a draft at most
  explicit DraftPace(int longest) : longest_(longest) {}

  // Of the next draft: the length at which a pass yields most tokens in its time. Where no draft is expected to gain
  // anything, a single token as a trial, for as long as trials have not lost more than they may; else 0.
  int length() const;

  // After a step: how many of the drafted tokens were right, and what guessing and verifying them took, in passes
  // over one token.
  void count(int drafted, int right, double passes);

 private:
  int longest_;
  double right_ = 1, wrong_ = 1;  // the latest count most
  double token_cost_ = kUsualCost;
  double balance_ = 1;  // passes that may still be lost: what drafts saved, and a part of each step
};

}  // namespace transformer
