// Greedy decoding and sampling: each sequence takes the most likely next token, or draws one at random.
#pragma once

#include "base/random.h"
#include "generation/search.h"
#include "kernels/online_softmax.h"

namespace transformer {

// Temperature, then top-k (Fan et al. 2018), nucleus (Holtzman et al. 2020), min-p (Nguyen et al. 2024), typical
// (Meister et al. 2023), epsilon and eta filtering (Hewitt et al. 2022), each of which keeps at least `least` tokens.
// scores [vocab] in place; a token that is filtered out gets kForbidden.
void filter_scores(const GenerationOptions& options, int least, std::span<float> scores, Workspace& workspace);

// The probability of each token after the filters, 0 for those that are filtered out or forbidden. scores in place.
void sampling_distribution(const GenerationOptions& options, std::span<float> scores, Workspace& workspace);

class Sampler : public Search {
 public:
  Sampler(const GenerationOptions& options, SearchInput input);

  int rows() const override { return count_of(open_); }
  bool done() const override { return open_.empty(); }
  std::span<const int> ids(int row) const override { return sequences_[open_[row]].hypothesis.ids; }
  void advance(View logits, Workspace& workspace) override;
  std::span<const int> parents() const override { return parents_; }
  std::span<const int> last_ids() const override { return last_ids_; }
  std::vector<Hypothesis> results() const override;
  std::vector<int> certain() const override;

 private:
  struct Sequence {
    Hypothesis hypothesis;
    Random random;
  };

  // Extends a sequence by a token; true if it has ended.
  bool extend(Sequence& sequence, int id, float log_probability);

  // Draws a column of the row.
  int draw_from(ConstView row, Random& random, Workspace& workspace) const;

  std::vector<Sequence> sequences_;
  std::vector<int> open_;              // those that have not ended: the rows
  std::vector<RowSummary> summaries_;  // of the rows of this step
  std::vector<int> parents_;
  std::vector<int> last_ids_;
};

}  // namespace transformer
