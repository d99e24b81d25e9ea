// The interface of all search strategies: given the logits of the next token, they choose how each sequence continues.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/workspace.h"
#include "generation/shortlist.h"

namespace transformer {

struct Hypothesis {
  std::vector<int> ids;             // prompt and generated tokens, with the end token
  float score = 0;                  // sum of log-probabilities; in a beam search with the length penalty
  std::vector<float> token_scores;  // log-probability of each generated token
};

// A search for continuations of one prompt. It advances several sequences in parallel: beams, or samples.
class Search {
 public:
  virtual ~Search() = default;

  virtual int rows() const = 0;
  virtual bool done() const = 0;

  // logits [rows, vocab] of the next token, or [rows, shortlist] with a shortlist; overwritten. Afterwards row i is the
  // former row parents()[i] with the token last_ids()[i] appended. bad_checkpoint for logits that are not finite.
  virtual void advance(View logits, Workspace& workspace) = 0;
  virtual std::span<const int> parents() const = 0;
  virtual std::span<const int> last_ids() const = 0;

  // The num_return_sequences best hypotheses, best first; before the search is done, those so far.
  virtual std::vector<Hypothesis> results() const = 0;

  // The generated ids that the best result is certain to start with: they can be shown already.
  virtual std::vector<int> certain() const = 0;
};

// bad_checkpoint if the greatest logit is NaN or infinite: such logits have no order.
void require_finite(float greatest_logit);

// A beam search, or greedy or sampled sequences, by the options. max_new_tokens: the options' number, limited by the
// model's positions.
std::unique_ptr<Search> make_search(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens);

}  // namespace transformer
