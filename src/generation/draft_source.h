// Drafts of the next tokens, and how far to trust them. One pass of the decoder verifies a whole draft (Leviathan et
// al. 2023, "Fast Inference from Transformers via Speculative Decoding"): a draft only costs time, since what is
// verified does not depend on it.
#pragma once

#include <span>

#include "base/workspace.h"

namespace transformer {

// What drafts continue.
struct DraftInput {
  std::span<const int> source;  // the encoder's ids; empty without one
  std::span<const int> ids;     // so far, with the prompt
};

// Drafts for one sequence, of a kind.
class DraftSource {
 public:
  virtual ~DraftSource() = default;
  DraftSource(const DraftSource&) = delete;
  DraftSource& operator=(const DraftSource&) = delete;

  // What may follow, at most `room` tokens. Often empty.
  std::span<const int> draft(const DraftInput& input, int room, Workspace& workspace);

  // The number of tokens of the last draft that were right. The next drafts are longer if all were, and pause after a
  // failure, each time longer: where guesses are wrong, they cost next to nothing.
  void verified(int right);

 protected:
  // longest: tokens of a draft at most. is_free: a guess costs next to nothing, so that one right token of a draft is
  // enough. Otherwise it fails with fewer than half of them.
  DraftSource(int longest, bool is_free) : longest_(longest), is_free_(is_free), next_(shortest()) {}

 private:
  int shortest() const;  // the first draft, and the first after a failure

  // At most `most` tokens, which is at least 1. Valid until the next call.
  virtual std::span<const int> guess(const DraftInput& input, int most, Workspace& workspace) = 0;

  int longest_;
  bool is_free_;
  int next_;       // length of the next draft
  int pause_ = 0;  // steps without a draft
  int longest_pause_ = 1;
  int drafted_ = 0;
};

}  // namespace transformer
