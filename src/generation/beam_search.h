// Beam search: each step keeps the num_beams best continuations (Sutskever et al. 2014, section 3.2). The length
// penalty is that of Hugging Face's transformers: score = sum(log p) / length^length_penalty.
#pragma once

#include "base/random.h"
#include "generation/search.h"
#include "kernels/online_softmax.h"
#include "kernels/top_k.h"

namespace transformer {

class BeamSearch : public Search {
 public:
  BeamSearch(const GenerationOptions& options, SearchInput input);

  int rows() const override { return options_.num_beams; }
  bool done() const override { return done_; }
  std::span<const int> ids(int row) const override { return beams_[row].ids; }
  void advance(View logits, Workspace& workspace) override { advance(logits, {}, workspace); }
  // The same for a group of beams; elsewhere: what earlier groups chose in this step.
  void advance(View logits, std::span<const int> elsewhere, Workspace& workspace);
  std::span<const int> parents() const override { return parents_; }
  std::span<const int> last_ids() const override { return last_ids_; }
  std::vector<Hypothesis> results() const override;
  std::vector<int> certain() const override;

 private:
  // Fills candidates_ with the best continuations of all beams, best first: their summed log-probabilities, beams and
  // columns. The logits become log-probabilities with the logits rules applied.
  void find_candidates(View logits, std::span<const int> elsewhere, Workspace& workspace);
  // Draws `count` candidates in place of the best ones, without replacement: those with the greatest sums of
  // log-probability and Gumbel noise (Kool et al. 2019).
  void draw_candidates(View logits, std::size_t count, Workspace& workspace);
  // extended <- the candidate's beam with its token appended, one of these log-probabilities; reuses the memory of
  // `extended`.
  void extend(const Ranked& candidate, ConstView log_probabilities, Hypothesis& extended, Workspace& workspace) const;
  float penalized(float sum, int length) const;
  void finish(Hypothesis hypothesis);
  bool is_done(float best_sum) const;
  int generated() const { return count_of(beams_.front().token_scores); }

  Random random_;
  std::vector<Hypothesis> beams_;  // live beams; score is the sum without the length penalty
  std::vector<Hypothesis>
      next_;  // the live beams after this step; swapped with beams_, so that a step allocates nothing
  std::vector<Hypothesis> finished_;  // the best num_beams, best first; score includes the length penalty
  std::vector<RowSummary> summaries_;
  std::vector<float> sums_;  // summed log-probability of each beam
  std::vector<Ranked> candidates_;
  std::vector<int> parents_;
  std::vector<int> last_ids_;
  bool done_ = false;
};

}  // namespace transformer
