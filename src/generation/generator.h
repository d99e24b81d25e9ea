// The loop: decode a token, let every search choose, feed what it chose.
#pragma once

#include "generation/search.h"
#include "generation/sequence_model.h"

namespace transformer {

// Sequences of different lengths are padded inside; what a sequence becomes does not depend on its neighbours.
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

  bool done() const;

  // One more token for every sequence that is not done.
  void step();

  int size() const { return static_cast<int>(searches_.size()); }
  const Search& search(int index) const { return *searches_[static_cast<std::size_t>(index)]; }

 private:
  void feed_prompts();

  std::unique_ptr<const SequenceModel> model_;
  GenerationOptions options_;
  std::vector<std::vector<int>> prompts_;
  Workspace& workspace_;
  std::vector<std::unique_ptr<Search>> searches_;
  int rows_per_search_;
  std::unique_ptr<Decoding> decoding_;
  Tensor logits_;            // [rows, vocab], or a column for each token of the shortlist
  std::vector<int> tokens_;  // of a step: what the rows are fed, and which rows they go on from
  std::vector<int> sources_;
};

}  // namespace transformer
