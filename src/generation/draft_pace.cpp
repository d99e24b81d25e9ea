#include "generation/draft_pace.h"

#include <algorithm>

namespace transformer {

namespace {

constexpr double kMemory = 0.9;    // the weight of a draft is this much less with each one after it
constexpr double kNewCost = 0.25;  // the part of a draft's own cost in the estimate of the next one's
// Bounds of a token's cost, since times may be wrong: the process pauses, or the machine is faster than before.
constexpr double kLeastCost = 0.1;
constexpr double kMostCost = 1;
constexpr double kLossPerStep = 1.0 / 64;
constexpr double kMostLoss = 2;

}  // namespace

// With tokens right with the probability p, a draft of n yields 1 + p + ... + p^n tokens (Leviathan et al. 2023,
// equation 1) in the time of 1 + c n passes.
int DraftPace::length() const {
  const double p = right_ / (right_ + wrong_);
  double chance = 1, tokens = 1, most = 1;
  int best = 0;
  for (int n = 1; n <= longest_; ++n) {
    chance *= p;
    tokens += chance;
    const double gain = tokens / (1 + token_cost_ * n);
    if (gain <= most) continue;
    most = gain;
    best = n;
  }
  if (best > 0) return best;
  return balance_ >= token_cost_ ? std::min(1, longest_) : 0;
}

void DraftPace::count(int drafted, int right, double passes) {
  balance_ += kLossPerStep;
  if (drafted > 0) {
    const double cost = std::clamp((passes - 1) / drafted, kLeastCost, kMostCost);
    token_cost_ += kNewCost * (cost - token_cost_);
    right_ = kMemory * right_ + right;
    wrong_ = kMemory * wrong_ + (right < drafted ? 1 : 0);
    balance_ += right - cost * drafted;
  }
  balance_ = std::min(balance_, kMostLoss);
}

}  // namespace transformer
