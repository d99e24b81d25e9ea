#include "generation/prompt_lookup.h"

#include <algorithm>

namespace transformer {

namespace {

// The n-grams that are looked up have from two to four tokens: a single one recurs without what followed it.
constexpr int kShortest = 2;
constexpr int kLongest = 4;

// The number of equal tokens at the ends of both, at most kLongest.
int common_end(std::span<const int> a, std::span<const int> b) {
  const auto most = std::min<std::ptrdiff_t>(kLongest, std::min(std::ssize(a), std::ssize(b)));
  int common = 0;
  while (common < most && a[a.size() - 1 - common] == b[b.size() - 1 - common]) ++common;
  return common;
}

}  // namespace

std::span<const int> PromptLookup::draft(std::span<const int> source, std::span<const int> ids, int room) {
  drafted_ = 0;
  if (pause_ > 0) --pause_;
  const std::size_t most = std::max(0, std::min(next_, room));
  if (pause_ > 0 || most == 0) return {};
  std::span<const int> found;
  int best = kShortest - 1;
  // Of equally long n-grams the first one counts: most follows it. The text itself comes before the source.
  for (const std::span<const int> text : {ids, source}) {
    for (std::size_t end = kShortest; end < text.size() && best < kLongest; ++end) {
      const int common = common_end(text.first(end), ids);
      if (common <= best) continue;
      best = common;
      found = text.subspan(end);
    }
  }
  found = found.first(std::min(most, found.size()));
  drafted_ = static_cast<int>(found.size());
  return found;
}

void PromptLookup::verified(int right) {
  if (drafted_ == 0) return;
  if (right > 0) longest_pause_ = 1;
  if (right == drafted_) next_ = std::min(longest_, 2 * next_);
  if (right == 0) {
    next_ = std::min(longest_, 2);
    longest_pause_ = std::min(64, 2 * longest_pause_);
    pause_ = longest_pause_;
  }
}

}  // namespace transformer
