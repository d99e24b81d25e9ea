#include "generation/prompt_lookup.h"

#include <algorithm>

namespace transformer {

namespace {

constexpr int kLongest = 4;  // of the n-grams that are looked up

// The number of equal tokens at the ends of both, at most kLongest.
int common_end(std::span<const int> a, std::span<const int> b) {
  const auto most = std::min<std::ptrdiff_t>(kLongest, std::min(std::ssize(a), std::ssize(b)));
  int common = 0;
  while (common < most && a[a.size() - 1 - common] == b[b.size() - 1 - common]) ++common;
  return common;
}

}  // namespace

std::span<const int> PromptLookup::guess(const DraftInput& input, int most, Workspace&) {
  std::span<const int> found;
  int best = 0, times = 0;
  // Of equally long n-grams the first one counts: most follows it. The text itself comes before the source.
  for (const std::span<const int> text : {input.ids, input.source}) {
    for (std::size_t end = 1; end < text.size() && best < kLongest; ++end) {
      const int common = common_end(text.first(end), input.ids);
      if (common == best) ++times;
      if (common <= best) continue;
      best = common;
      times = 1;
      found = text.subspan(end);
    }
  }
  // A single token recurs without what followed it.
  if (best == 1 && times > 1) return {};
  return found.first(std::min<std::size_t>(most, found.size()));
}

}  // namespace transformer
