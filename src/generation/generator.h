// A caller's generation: its prompts, its searches, and the batch that decodes them.
#pragma once

#include "generation/batch.h"
#include "generation/draft_source.h"

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
  ~Generator();
  Generator(const Generator&) = delete;  // its batch refers to it
  Generator& operator=(const Generator&) = delete;

  // A smaller model, which drafts up to num_assistant_tokens at once where prompt lookup finds nothing; before the
  // first step. It must be of the same kind, with the same vocabulary, and outlive the generator.
  void assist(std::unique_ptr<const SequenceModel> assistant);

  // Replaces the system's clock, which measures the time that drafts save; to be set before the first step. It returns
  // seconds.
  void time_with(double (*clock)()) { clock_ = clock; }

  // Once its prompts were fed, it joins the batch of others of the same model that were given the same `open`, or opens
  // one; before the first step. Not with drafts, allow(), or whatever else the workspace holds besides memory
  // and threads. `open` must outlive the generator.
  void share(std::shared_ptr<Batch>& open) { open_ = &open; }

  bool done() const;

  // Generates a token for every sequence that is not done, also for those of others in its batch; several for one whose
  // draft was right. False, and nothing, if others have taken steps for it since the last call. Throws what its
  // searches threw, or a pass that it shared.
  bool step();

  // The ids of each row of a search that chooses in the next step, with its prompt; empty for one that does not.
  std::vector<std::vector<int>> open_rows(int index) const;
  // In the next step, row i of the search takes one of the ids in allowed[i]. From before the first step on, or never.
  void allow(int index, std::vector<std::vector<int>> allowed);

  int size() const { return count_of(request_.searches); }
  const Search& search(int index) const { return *request_.searches[index]; }

 private:
  // Tokens that may follow the chosen ones of the only row that is left.
  std::vector<int> draft();
  void take_step();
  void count_step(int drafted, int right, double seconds);
  void join_others();

  std::unique_ptr<const SequenceModel> model_;
  GenerationOptions options_;
  std::vector<std::vector<int>> prompts_;  // without their padding; empty once they were fed
  Workspace& workspace_;
  Request request_;
  int capacity_ = 0;  // tokens of a row at most
  std::shared_ptr<Batch> batch_;
  std::shared_ptr<Batch>* open_ = nullptr;
  int steps_ = 0;                                     // of the batch that its caller knows of
  std::vector<std::unique_ptr<DraftSource>> drafts_;  // asked in turn
  bool may_draft_;
  DraftSource* drafting_ = nullptr;  // the source of the last draft
  double (*clock_)();
  double pass_seconds_ = 0;  // of a step of one row without a draft, on average; 0: not known
};

}  // namespace transformer
