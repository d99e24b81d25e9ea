// The generation loop: decode a token, let each search choose the next one, feed it to the decoder.
#pragma once

#include "generation/draft_source.h"
#include "generation/search.h"
#include "generation/sequence_model.h"

namespace transformer {

// Sequences may differ in length. Nothing is computed for padding, a search that is done leaves the batch, and a result
// does not depend on the rest of the batch.
class Generator {
 public:
  // Runs the encoder. The model and the workspace must outlive the generator.
  Generator(std::unique_ptr<const SequenceModel> model, const GenerationInput& input, const GenerationOptions& options,
            Workspace& workspace);
  template <class Model>
  Generator(const Model& model, const GenerationInput& input, const GenerationOptions& options, Workspace& workspace)
      : Generator(make_sequence_model(model), input, options, workspace) {}
  Generator(const Generator&) = delete;  // the searches refer to members
  Generator& operator=(const Generator&) = delete;

  // A smaller model, which drafts up to num_assistant_tokens at once where prompt lookup finds nothing; before the
  // first step. It must be of the same kind, with the same vocabulary, and outlive the generator.
  void assist(std::unique_ptr<const SequenceModel> assistant);

  bool done() const;

  // Generates a token for every sequence that is not done; several for one whose draft was right.
  void step();

  // The ids of each row of a search that chooses in the next step, with its prompt; empty for one that does not.
  std::vector<std::vector<int>> open_rows(int index) const;
  // In the next step, row i of the search takes one of the ids in allowed[i].
  void allow(int index, std::vector<std::vector<int>> allowed);

  int size() const { return count_of(searches_); }
  const Search& search(int index) const { return *searches_[index]; }

 private:
  // Adds a source of drafts where there may be any.
  void add_drafts(std::unique_ptr<DraftSource> source, int longest);
  // What may follow the chosen tokens, where a single row is left to verify it; else nothing.
  std::span<const int> draft();
  // Goes on with the draft for as long as the search chooses its tokens. The decoder forgets the others.
  void verify_draft(Search& search);

  // The first pass: the ids of every prompt, once for all rows of its search.
  void feed_prompts();

  std::unique_ptr<const SequenceModel> model_;
  GenerationOptions options_;
  std::vector<std::vector<int>> prompts_;  // without their padding; empty once they were fed
  Workspace& workspace_;
  std::vector<std::unique_ptr<Search>> searches_;
  int rows_per_search_;
  int capacity_ = 0;  // tokens of a row at most
  std::unique_ptr<Decoding> decoding_;
  std::vector<int> running_;  // searches that are not done, once the prompts were fed
  Tensor logits_;             // [rows, vocab], or a column for each token of the shortlist
  std::vector<int> ids_;      // of a step: what each row is fed, and the row that it continues
  std::vector<int> parents_;
  std::vector<std::unique_ptr<DraftSource>> drafts_;  // asked in turn
  bool may_draft_;
  DraftSource* drafting_ = nullptr;  // the source of draft_
  std::vector<int> draft_;           // what the only row was fed after the chosen token
};

}  // namespace transformer
