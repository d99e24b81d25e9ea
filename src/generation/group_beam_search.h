// Diverse beam search: groups of beams, each of which avoids the tokens that the groups before it chose in the same
// step (Vijayakumar et al. 2018, algorithm 1, with Hamming diversity). The penalty stays in the scores.
#pragma once

#include "generation/beam_search.h"

namespace transformer {

class GroupBeamSearch : public Search {
 public:
  GroupBeamSearch(const GenerationOptions& options, SearchInput input);

  int rows() const override { return options_.num_beams; }
  bool done() const override;
  std::span<const int> ids(int row) const override { return groups_[row / beams_]->ids(row % beams_); }
  void allow(std::vector<std::vector<int>> allowed) override;
  void keep_to(std::shared_ptr<GrammarStates> form, int state) override;
  void advance(View logits, Workspace& workspace) override;
  std::span<const int> parents() const override { return parents_; }
  std::span<const int> last_ids() const override { return last_ids_; }
  std::vector<Hypothesis> results() const override;
  std::vector<int> certain() const override;

 private:
  int beams_;  // of each group
  std::vector<std::unique_ptr<BeamSearch>> groups_;
  std::vector<int> parents_;
  std::vector<int> last_ids_;
};

}  // namespace transformer
