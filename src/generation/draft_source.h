// Drafts of the next tokens. One pass of the decoder verifies a whole draft (Leviathan et al. 2023, "Fast Inference
// from Transformers via Speculative Decoding"): a draft only costs time, since what is verified does not depend on it.
#pragma once

#include <algorithm>
#include <span>

#include "base/workspace.h"
#include "generation/draft_pace.h"
#include "generation/shortlist.h"

namespace transformer {

// The sequence that drafts continue.
struct DraftInput {
  std::span<const int> source;  // the encoder's ids; empty without one
  std::span<const int> ids;     // so far, with the prompt
  const Shortlist& shortlist;   // of what can be chosen
};

// Drafts for one sequence, of a kind.
class DraftSource {
 public:
  virtual ~DraftSource() = default;
  DraftSource(const DraftSource&) = delete;
  DraftSource& operator=(const DraftSource&) = delete;

  // Tokens that may follow, at most `room`. Often empty. Valid until the next call.
  std::span<const int> draft(const DraftInput& input, int room, Workspace& workspace) {
    const int most = std::min(pace_.length(), room);
    return most > 0 ? guess(input, most, workspace) : std::span<const int>();
  }

  DraftPace& pace() { return pace_; }

 protected:
  // longest: tokens of a draft at most
  explicit DraftSource(int longest) : pace_(longest) {}

 private:
  // At most `most` tokens, which is at least 1.
  virtual std::span<const int> guess(const DraftInput& input, int most, Workspace& workspace) = 0;

  DraftPace pace_;
};

}  // namespace transformer
