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

std::span<const int> PromptLookup::guess(const DraftInput& input, int most, Workspace&) {
  std::span<const int> found;
  int best = kShortest - 1;
  // Of equally long n-grams the first one counts: most follows it. The text itself comes before the source.
  for (const std::span<const int> text : {input.ids, input.source}) {
    for (std::size_t end = kShortest; end < text.size() && best < kLongest; ++end) {
      const int common = common_end(text.first(end), input.ids);
      if (common <= best) continue;
      best = common;
      found = text.subspan(end);
    }
  }
  return found.first(std::min<std::size_t>(most, found.size()));
}

}  // namespace transformer
