// A caller's generation: its prompts, its searches, and the batch that decodes them.
#pragma once

#include "generation/batch.h"
#include "generation/draft_source.h"

namespace transformer {

class Generator;

// The generators of one model that run at the same time.
struct Company {
  std::shared_ptr<Batch> open;           // that the next ones join
  std::vector<Generator*> waiting = {};  // those that have not begun, in the order in which they came
  PrefixCache prefixes{0};               // of the model
};

// Sequences may differ in length. Nothing is computed for padding, a search that is done leaves the batch, and a result
// does not depend on the rest of the batch.
class Generator {
 public:
  // The first step runs the encoder. The model, the workspace and the vectors of the input must outlive the generator.
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

  // It shares passes with others of the same model that were given the same company: the first of them to take a step
  // encodes the sources and feeds the prompts of all that wait, and then they join the open batch, or open one. Before
  // the first step. Not with drafts, allow(), or whatever else the workspace holds besides memory and threads. The
  // company must outlive the generator.
  void share(Company& company);

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
  // Of a pass that several begin with: as much as their encoder's memory may grow.
  static constexpr int kMostTokensTogether = 4096;

  bool shares() const {
    return company_ && model_->can_share() && (drafts_.empty() || !may_draft_) && !workspace_.needs_path();
  }
  PrefixCache* prefixes() const {
    return company_ && company_->prefixes.limit() > 0 && !workspace_.needs_path() ? &company_->prefixes : nullptr;
  }
  int rows() const { return size() * rows_per_search_; }
  int tokens() const;
  bool begins_like(const Generator& other) const;
  void stop_waiting();

  // This one, and those that wait and can begin in the same pass.
  std::vector<Generator*> group();
  // Encodes the sources of all of them and feeds their prompts. Either all of them have begun then or, with an
  // exception, none.
  static void begin(std::span<Generator* const> group, Workspace& workspace);
  void begin();

  // Tokens that may follow the chosen ones of the only row that is left.
  std::vector<int> draft();
  void take_step();
  void count_step(int drafted, int right, double seconds);
  static void join_others(std::span<Generator* const> group);

  std::unique_ptr<const SequenceModel> model_;
  GenerationOptions options_;
  GenerationInput input_;  // its prompts are without their padding; empty once it has begun
  Workspace& workspace_;
  Request request_;
  int rows_per_search_;
  int capacity_ = 0;              // tokens of a row at most
  std::shared_ptr<Batch> batch_;  // null before the first step
  Company* company_ = nullptr;
  int steps_ = 0;                                     // of the batch that its caller knows of
  std::vector<std::unique_ptr<DraftSource>> drafts_;  // asked in turn
  bool may_draft_;
  DraftSource* drafting_ = nullptr;  // the source of the last draft
  double (*clock_)();
  double pass_seconds_ = 0;  // of a step of one row without a draft, on average; 0: not known
};

}  // namespace transformer
