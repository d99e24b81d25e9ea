// Sequences that each choose their own next token: the most likely one, or one drawn at random.
#pragma once

#include "base/random.h"
#include "generation/search.h"
#include "kernels/online_softmax.h"

namespace transformer {

// The probability of each token after temperature, top-k (Fan et al. 2018), nucleus (Holtzman et al. 2020) and
// typical (Meister et al. 2023) cuts.
// scores [vocab] in place; returns nothing forbidden: such tokens get 0.
void sampling_distribution(const GenerationOptions& options, std::span<float> scores, Workspace& workspace);

class Sampler : public Search {
 public:
  Sampler(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens);

  int rows() const override { return static_cast<int>(sequences_.size()); }
  bool done() const override;
  void advance(View logits, Workspace& workspace) override;
  std::span<const int> sources() const override { return sources_; }
  std::span<const int> last_tokens() const override { return last_tokens_; }
  std::vector<Hypothesis> results() const override;
  std::vector<int> certain() const override;

 private:
  struct Sequence {
    Hypothesis hypothesis;
    Random random;
    bool finished = false;
  };

  // A column of the row.
  int draw_from(ConstView row, Random& random, Workspace& workspace) const;

  const GenerationOptions& options_;
  int prompt_length_;
  int max_new_tokens_;
  Shortlist shortlist_;
  std::vector<Sequence> sequences_;
  std::vector<RowSummary> summaries_;  // of the rows of this step
  std::vector<int> sources_;           // every row goes on from itself
  std::vector<int> last_tokens_;
};

}  // namespace transformer
