// Beam search: the num_beams best continuations live on, side by side (Sutskever et al. 2014, section 3.2; the length
// penalty as in the Python library: score = sum(log p) / length^length_penalty).
#pragma once

#include "generation/search.h"

namespace transformer {

class BeamSearch : public Search {
 public:
  BeamSearch(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens);

  int rows() const override { return options_.num_beams; }
  bool done() const override { return done_; }
  void advance(View logits) override;
  std::span<const int> sources() const override { return sources_; }
  std::span<const int> last_tokens() const override { return last_tokens_; }
  std::vector<Hypothesis> results() const override;
  std::vector<int> certain() const override;

 private:
  struct Candidate {
    int beam;
    int id;
    float sum;  // of log-probabilities
    float log_probability;
  };

  // The best continuations of all beams, best first.
  std::vector<Candidate> best_candidates(View log_probabilities, std::size_t count) const;
  Hypothesis extend(const Candidate& candidate) const;
  float penalized(float sum, int length) const;
  void finish(Hypothesis hypothesis);
  bool is_done(float best_sum) const;
  int generated() const { return static_cast<int>(beams_.front().token_scores.size()); }

  const GenerationOptions& options_;
  int prompt_length_;
  int max_new_tokens_;
  std::vector<Hypothesis> beams_;     // alive; score is the plain sum
  std::vector<Hypothesis> finished_;  // the best num_beams, best first; score is penalized
  std::vector<int> sources_;
  std::vector<int> last_tokens_;
  bool done_ = false;
};

}  // namespace transformer
