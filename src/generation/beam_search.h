// Beam search: the num_beams best continuations live on, side by side (Sutskever et al. 2014, section 3.2; the length
// penalty as in the Python library: score = sum(log p) / length^length_penalty).
#pragma once

#include "generation/search.h"
#include "kernels/online_softmax.h"
#include "kernels/top_k.h"

namespace transformer {

class BeamSearch : public Search {
 public:
  BeamSearch(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens);

  int rows() const override { return options_.num_beams; }
  bool done() const override { return done_; }
  void advance(View logits, Workspace& workspace) override;
  std::span<const int> sources() const override { return sources_; }
  std::span<const int> last_tokens() const override { return last_tokens_; }
  std::vector<Hypothesis> results() const override;
  std::vector<int> certain() const override;

 private:
  // The best continuations of all beams, best first: sums of log-probabilities, beams and columns. The logits become
  // log-probabilities under the rules.
  void find_candidates(View logits, Workspace& workspace);
  // extended <- the candidate's beam with its token; keeps the memory that it has.
  void extend(const Ranked& candidate, float log_probability, Hypothesis& extended) const;
  float penalized(float sum, int length) const;
  void finish(Hypothesis hypothesis);
  bool is_done(float best_sum) const;
  int generated() const { return static_cast<int>(beams_.front().token_scores.size()); }

  const GenerationOptions& options_;
  int prompt_length_;
  int max_new_tokens_;
  Shortlist shortlist_;
  std::vector<Hypothesis> beams_;     // alive; score is the plain sum
  std::vector<Hypothesis> next_;      // what they become; the two change places, so that a step allocates nothing
  std::vector<Hypothesis> finished_;  // the best num_beams, best first; score is penalized
  std::vector<RowSummary> summaries_;
  std::vector<float> sums_;  // of the log-probabilities of the beams
  std::vector<Ranked> candidates_;
  std::vector<int> sources_;
  std::vector<int> last_tokens_;
  bool done_ = false;
};

}  // namespace transformer
