// The interface of all search strategies: given the logits of the next token, they choose how each sequence continues.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/workspace.h"
#include "generation/logits_rules.h"
#include "kernels/online_softmax.h"

namespace transformer {

struct Hypothesis {
  std::vector<int> ids;             // prompt and generated tokens, with the end token
  float score = 0;                  // sum of log-probabilities; in a beam search with the length penalty
  std::vector<float> token_scores;  // log-probability of each generated token
  // Of each generated token: as many of the most likely tokens as the options ask for, best first, and their
  // log-probabilities. Where fewer can be chosen, the ids of the rest are -1.
  std::vector<int> top_ids = {};
  std::vector<float> top_scores = {};
};

// Best first; equal scores stay in the order of their insertion.
void insert_by_score(std::vector<Hypothesis>& sorted, Hypothesis hypothesis);

// The sequence that a search continues.
struct SearchInput {
  std::vector<int> prompt = {};
  int max_new_tokens = 0;        // the options' number, limited by the model's positions
  std::vector<int> source = {};  // the encoder's ids, or the prompt; read only by rules about the source
  // The source that the encoder's repetition penalty applies to, for each row; empty: none.
  std::vector<std::vector<int>> rewarded_sources = {};
};

// A search for continuations of one prompt. It advances several sequences in parallel: beams, or samples.
class Search {
 public:
  Search(const GenerationOptions& options, SearchInput input)
      : options_(options), input_(std::move(input)), shortlist_(options) {}
  virtual ~Search() = default;
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  const SearchInput& input() const { return input_; }
  const Shortlist& shortlist() const { return shortlist_; }

  virtual int rows() const = 0;  // sequences that have not ended; never more than before
  virtual bool done() const = 0;

  // The ids of a row so far, with the prompt.
  virtual std::span<const int> ids(int row) const = 0;

  // In the next step, row i takes one of the ids in allowed[i].
  virtual void allow(std::vector<std::vector<int>> allowed) { allowed_ = std::move(allowed); }

  // What is generated keeps to a form, which has this state after the prompt. Before the first step.
  virtual void keep_to(std::shared_ptr<GrammarStates> form, int state) {
    form_ = std::move(form);
    form_states_.assign(rows(), state);
  }

  // logits [rows, vocab] of the next token, or [rows, shortlist] with a shortlist; overwritten. Afterwards row i is the
  // former row parents()[i] with the token last_ids()[i] appended. bad_checkpoint for logits that are not finite.
  virtual void advance(View logits, Workspace& workspace) = 0;
  virtual std::span<const int> parents() const = 0;
  virtual std::span<const int> last_ids() const = 0;

  // The num_return_sequences best hypotheses, best first; before the search is done, those so far.
  virtual std::vector<Hypothesis> results() const = 0;

  // The generated ids that the best result is certain to start with: they can be shown already.
  virtual std::vector<int> certain() const = 0;

 protected:
  int prompt_length() const { return count_of(input_.prompt); }

  bool keeps_to_form() const { return form_ != nullptr; }

  // After the tokens of the last step: to be called at the end of each.
  void follow_form();

  // Forgets what the rules know of rows other than these.
  void keep_rows(std::span<const int> kept);

  // Appends the most likely tokens of a step, if the options ask for them. scores: of one row, after the rules. Their
  // log-probabilities follow from the summary, or are the scores without one.
  void note_top(ConstView scores, const RowSummary* summary, Hypothesis& hypothesis, Workspace& workspace) const;

  // The rules' view of a row. elsewhere: what earlier groups of beams chose in this step.
  RuleContext context(int row, std::span<const int> elsewhere = {}) const;

  GenerationOptions options_;
  SearchInput input_;
  Shortlist shortlist_;

 private:
  std::vector<std::vector<int>> allowed_;  // of each row; empty: all ids
  std::shared_ptr<GrammarStates> form_;    // or none
  std::vector<int> form_states_;           // of each row
};

// bad_checkpoint if the greatest logit is NaN or infinite: such logits have no order.
void require_finite(float greatest_logit);

// invalid_argument if the greatest score is that of a forbidden token, so that none can be chosen.
void require_choice(float greatest_score);

}  // namespace transformer
