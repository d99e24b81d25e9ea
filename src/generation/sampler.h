// Greedy decoding and sampling: each sequence takes the most likely next token, or draws one at random.
#pragma once

#include "base/random.h"
#include "generation/search.h"
#include "kernels/online_softmax.h"

namespace transformer {

// The probability of each token after temperature, top-k (Fan et al. 2018), nucleus (Holtzman et al. 2020) and
// typical (Meister et al. 2023) filtering.
// scores [vocab] in place; a token that is filtered out or forbidden gets the probability 0.
void sampling_distribution(const GenerationOptions& options, std::span<float> scores, Workspace& workspace);

class Sampler : public Search {
 public:
  Sampler(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens);

  int rows() const override { return count_of(sequences_); }
  bool done() const override;
  void advance(View logits, Workspace& workspace) override;
  std::span<const int> parents() const override { return parents_; }
  std::span<const int> last_ids() const override { return last_ids_; }
  std::vector<Hypothesis> results() const override;
  std::vector<int> certain() const override;

 private:
  struct Sequence {
    Hypothesis hypothesis;
    Random random;
    bool finished = false;
  };

  // Draws a column of the row.
  int draw_from(ConstView row, Random& random, Workspace& workspace) const;

  const GenerationOptions& options_;
  int prompt_length_;
  int max_new_tokens_;
  Shortlist shortlist_;
  std::vector<Sequence> sequences_;
  std::vector<RowSummary> summaries_;  // of the rows of this step
  std::vector<int> parents_;           // each row continues itself
  std::vector<int> last_ids_;
};

}  // namespace transformer
