#include "generation/draft_source.h"

#include <algorithm>

namespace transformer {

namespace {

// A model that drafts has to read what was written in a pause, so the pauses of one that is often wrong grow without
// end.
constexpr int kLongestFreePause = 64;
constexpr int kLongestPause = 1 << 20;

}  // namespace

int DraftSource::shortest() const { return std::min(longest_, is_free_ ? 2 : 1); }

std::span<const int> DraftSource::draft(const DraftInput& input, int room, Workspace& workspace) {
  drafted_ = 0;
  if (pause_ > 0) --pause_;
  const int most = std::min(next_, room);
  if (pause_ > 0 || most <= 0) return {};
  const std::span<const int> guessed = guess(input, most, workspace);
  drafted_ = static_cast<int>(guessed.size());
  return guessed;
}

void DraftSource::verified(int right) {
  if (drafted_ == 0) return;
  const bool fails = is_free_ ? right == 0 : 2 * right < drafted_;
  if (right == drafted_) {
    next_ = std::min(longest_, 2 * next_);
  } else if (!is_free_) {
    next_ = std::min(longest_, right + 1);
  }
  if (!fails) {
    longest_pause_ = 1;
    return;
  }
  next_ = shortest();
  longest_pause_ =
      is_free_ ? std::min(kLongestFreePause, 2 * longest_pause_) : std::min(kLongestPause, 4 * longest_pause_);
  pause_ = longest_pause_;
}

}  // namespace transformer
