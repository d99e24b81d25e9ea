// Drafts looked up in the text (Saxena 2023, "Prompt Lookup Decoding"): where the latest tokens occur before, the text
// often goes on as it did there.
#pragma once

#include "generation/draft_source.h"

namespace transformer {

class PromptLookup : public DraftSource {
 public:
  // longest: tokens of a draft at most
  explicit PromptLookup(int longest) : DraftSource(longest) {}

 private:
  // What follows the first occurrence of the longest n-gram at the end of the ids, in them or in the source; of a
  // single token its only occurrence.
  std::span<const int> guess(const DraftInput& input, int most, Workspace& workspace) override;
};

}  // namespace transformer
