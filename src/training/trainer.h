// Training step by step: the loss of a batch, its gradients, and the change of the weights.
#pragma once

#include <memory>

#include "training/adamw.h"
#include "training/model.h"

namespace transformer::training {

struct TrainingOptions {
  std::uint64_t seed = 0;  // of the weights at the beginning
  Optimizer optimizer = {};
  double label_smoothing = 0;
  bool causal = true;  // false: the tokens of a decoder see later ones too, so that it learns to copy them
};

struct StepResult {
  int step = 0;  // counted from 1
  double loss = 0;
  double grad_norm = 0;  // before it is scaled down
  double learning_rate = 0;
};

struct Evaluation {
  double loss = 0;  // with the smoothing of the training
  int targets = 0;  // that count
  int correct = 0;  // of these, where the greatest logit is that of the target
  Tensor logits;    // [tokens of the inputs, vocab], if asked for
};

// What a parameter consists of.
enum class Part { kValue, kMean, kSquare };

class Trainer {
 public:
  // Errors as of Model, and invalid_argument for impossible options.
  Trainer(const TransformerConfig& config, const TrainingOptions& options);

  // observer: sees the pass before the change; may be null. invalid_argument, which names the step, if the loss or a
  // gradient is not finite: nothing has changed then.
  StepResult step(const Batch& batch, ThreadPool& threads, Observer* observer = nullptr);

  Evaluation evaluate(const Batch& batch, bool with_logits, ThreadPool& threads, Observer* observer = nullptr);

  int steps() const { return steps_; }  // that were taken
  Parameters& parameters() { return parameters_; }

  // For a state that was saved. invalid_argument for a name or a shape that there is not, bad_checkpoint for numbers
  // that are not finite.
  const Tensor& part(std::string_view name, Part part);
  void restore(std::string_view name, Part part, const Tensor& numbers);
  void restore_steps(int steps);

 private:
  TrainingOptions options_;
  Parameters parameters_;
  Model model_;
  Arena arena_;
  int steps_ = 0;
};

}  // namespace transformer::training
