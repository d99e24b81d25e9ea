// Drafts of a smaller model with the same vocabulary, which chooses each token greedily (Leviathan et al. 2023).
#pragma once

#include <memory>
#include <vector>

#include "generation/draft_source.h"
#include "generation/sequence_model.h"

namespace transformer {

class DraftModel : public DraftSource {
 public:
  // longest: tokens of a draft at most. capacity: tokens of a sequence at most.
  DraftModel(std::unique_ptr<const SequenceModel> model, int longest, int capacity);

 private:
  std::span<const int> guess(const DraftInput& input, int most, Workspace& workspace) override;
  void start(const DraftInput& input, Workspace& workspace);

  std::unique_ptr<const SequenceModel> model_;
  int capacity_;
  std::unique_ptr<Decoding> decoding_;  // from the first draft on
  std::vector<int> text_;               // the ids and their draft
  int fed_ = 0;                         // how many of them the decoder has seen
};

}  // namespace transformer
