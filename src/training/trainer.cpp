#include "training/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/magnitude.h"

namespace transformer::training {

namespace {

const TrainingOptions& checked(const TrainingOptions& options) {
  checked(options.optimizer);
  require(options.label_smoothing >= 0 && options.label_smoothing < 1,
          "labelSmoothing must be at least 0 and less than 1, got ", options.label_smoothing);
  return options;
}

// Beyond it, a model is not one for a browser's tab, and its states would not fit.
constexpr double kMostParameters = 50e6;

const TransformerConfig& of_possible_size(const TransformerConfig& config) {
  validate(config);
  const double parameters = estimated_parameters(config);
  require(parameters <= kMostParameters, "training is for models of up to ", kMostParameters / 1e6,
          " million parameters, not ", std::ceil(parameters / 1e6));
  return config;
}

void require_finite(double number, const char* what, int step) {
  require(std::isfinite(number), what, " of step ", step, " is ", number,
          ": the weights are unchanged. A lower learningRate, a warm-up or a maxGradNorm may help");
}

}  // namespace

Trainer::Trainer(const TransformerConfig& config, const TrainingOptions& options)
    : options_(checked(options)), parameters_(options.seed), model_(parameters_, of_possible_size(config)) {}

StepResult Trainer::step(const Batch& batch, ThreadPool& threads, Observer* observer) {
  const Arena::Scope scope(arena_);
  Workspace workspace{arena_, threads, observer};
  for (Parameter& one : parameters_.all()) std::fill_n(one.gradient.data(), one.gradient.size(), 0.0f);
  Tape tape(workspace, true);
  const Value logits = model_.forward(tape, batch, options_.causal);
  const Loss loss = cross_entropy(tape, logits, batch.targets, static_cast<float>(options_.label_smoothing));
  const int step = steps_ + 1;
  require_finite(loss.mean, "the loss", step);
  tape.go_back();
  const double norm = gradient_norm(parameters_);
  require_finite(norm, "the norm of the gradients", step);
  const Optimizer& optimizer = options_.optimizer;
  const double most = optimizer.max_grad_norm;
  update(parameters_, optimizer, step, most > 0 ? std::min(1.0, most / (norm + 1e-6)) : 1.0);
  steps_ = step;
  return {step, loss.mean, norm, learning_rate_at(optimizer, step)};
}

Evaluation Trainer::evaluate(const Batch& batch, bool with_logits, ThreadPool& threads, Observer* observer) {
  const Arena::Scope scope(arena_);
  Workspace workspace{arena_, threads, observer};
  Tape tape(workspace, false);
  const Value logits = model_.forward(tape, batch, options_.causal);
  const Loss loss = cross_entropy(tape, logits, batch.targets, static_cast<float>(options_.label_smoothing));
  Evaluation result = {loss.mean, loss.targets, loss.correct, {}};
  if (with_logits) {
    result.logits = Tensor({logits.x.rows, logits.x.cols});
    copy_rows(logits.x, result.logits.matrix());
  }
  return result;
}

namespace {

Tensor& part_of(Parameter& parameter, Part part) {
  return part == Part::kValue ? parameter.value : part == Part::kMean ? parameter.mean : parameter.square;
}

}  // namespace

const Tensor& Trainer::part(std::string_view name, Part part) { return part_of(parameters_.find(name), part); }

void Trainer::restore(std::string_view name, Part part, const Tensor& numbers) {
  Tensor& own = part_of(parameters_.find(name), part);
  require(numbers.shape() == own.shape(), "the parameter '", std::string(name), "' has the shape ",
          to_string(own.shape()), ", got ", to_string(numbers.shape()));
  if (!std::isfinite(largest_magnitude({numbers.data(), numbers.size()}))) {
    fail(ErrorCode::kBadCheckpoint, "the parameter '", std::string(name), "' holds NaN or an infinite number");
  }
  std::copy_n(numbers.data(), numbers.size(), own.data());
}

void Trainer::restore_steps(int steps) {
  require(steps >= 0, "the number of steps must not be negative, got ", steps);
  steps_ = steps;
}

}  // namespace transformer::training
