// Sequences that each choose their own next token: the most likely one, or one drawn at random.
#pragma once

#include "base/random.h"
#include "generation/search.h"

namespace transformer {

// The probability of each token after temperature, top-k (Fan et al. 2018), nucleus (Holtzman et al. 2020) and
// typical (Meister et al. 2023) cuts.
// scores [vocab] in place; returns nothing forbidden: such tokens get 0.
void sampling_distribution(const GenerationOptions& options, std::span<float> scores);

class Sampler : public Search {
 public:
  Sampler(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens);

  int rows() const override { return static_cast<int>(sequences_.size()); }
  bool done() const override;
  void advance(View logits) override;
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

  int choose(Sequence& sequence, std::span<float> scores) const;

  const GenerationOptions& options_;
  int prompt_length_;
  int max_new_tokens_;
  std::vector<Sequence> sequences_;
  std::vector<int> sources_;  // every row goes on from itself
  std::vector<int> last_tokens_;
};

}  // namespace transformer
