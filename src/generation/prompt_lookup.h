// Drafts of the next tokens, looked up in the text (Saxena 2023, "Prompt Lookup Decoding"): where the latest tokens
// occur before, the text often goes on as it did there. One pass of the decoder verifies a whole draft (Leviathan et
// al. 2023).
#pragma once

#include <span>
#include <vector>

namespace transformer {

// The drafts for one sequence. A draft only costs time: what is verified does not depend on it.
class PromptLookup {
 public:
  // longest: tokens of a draft at most; 0: there are no drafts.
  explicit PromptLookup(int longest) : longest_(longest), next_(longest < 2 ? longest : 2) {}

  // What may follow `ids`, at most `room` tokens: what follows the first occurrence of their longest n-gram in them or
  // in the source. Often empty.
  std::span<const int> draft(std::span<const int> source, std::span<const int> ids, int room);

  // The number of tokens of the last draft that were right. The next drafts are longer if all were, and paused if none
  // was, each time twice as long: where the text repeats nothing, drafts cost next to nothing.
  void verified(int right);

 private:
  int longest_;
  int next_;       // length of the next draft
  int pause_ = 0;  // steps without a draft
  int longest_pause_ = 1;
  int drafted_ = 0;
};

}  // namespace transformer
