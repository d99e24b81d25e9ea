// What all ways of choosing tokens have in common: they look at the scores of the next token and decide how each of
// their sequences goes on.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/workspace.h"
#include "generation/shortlist.h"

namespace transformer {

struct Hypothesis {
  std::vector<int> ids;             // prompt, generated tokens, end token
  float score = 0;                  // sum of log-probabilities; in a beam search divided by length^length_penalty
  std::vector<float> token_scores;  // log-probability of each generated token
};

// The search for the continuation of one prompt. It runs several sequences side by side: beams, or samples.
class Search {
 public:
  virtual ~Search() = default;

  virtual int rows() const = 0;
  virtual bool done() const = 0;

  // logits [rows, vocab] of the next token, or a column for each token of the shortlist; overwritten. Afterwards row i
  // goes on from what row sources()[i] was, with the token last_tokens()[i]. bad_checkpoint where they are not finite.
  virtual void advance(View logits, Workspace& workspace) = 0;
  virtual std::span<const int> sources() const = 0;
  virtual std::span<const int> last_tokens() const = 0;

  // The best first, num_return_sequences of them; what there is so far where the search is not done.
  virtual std::vector<Hypothesis> results() const = 0;

  // The generated tokens that the best result will begin with whatever comes: what can be shown already.
  virtual std::vector<int> certain() const = 0;
};

// Nothing can be chosen by logits that are NaN or infinite, and no order of them sorted.
void require_finite(float greatest_logit);

// Greedy or sampled sequences, or a beam search, as the options say. max_new_tokens: what fits the model's positions.
std::unique_ptr<Search> make_search(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens);

}  // namespace transformer
