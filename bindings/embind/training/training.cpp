// Training, one step at a time.
#include "configs.h"
#include "context.h"
#include "guarded.h"
#include "tensors.h"
#include "training/trainer.h"

TRANSFORMER_NAMED_ENUM(transformer::training::Decay);

namespace transformer::training {

constexpr auto fields_of(const Optimizer*) {
  return std::tuple{Field{"learningRate", &Optimizer::learning_rate},
                    Field{"beta1", &Optimizer::beta1},
                    Field{"beta2", &Optimizer::beta2},
                    Field{"epsilon", &Optimizer::epsilon},
                    Field{"weightDecay", &Optimizer::weight_decay},
                    Field{"maxGradNorm", &Optimizer::max_grad_norm},
                    Field{"warmupSteps", &Optimizer::warmup_steps},
                    Field{"totalSteps", &Optimizer::total_steps},
                    Field{"decay", &Optimizer::decay}};
}

}  // namespace transformer::training

namespace transformer::bindings {

namespace {

using namespace training;

struct JsTrainingOptions {
  double seed = 0;  // a whole number below 2^53
  double label_smoothing = 0;
  bool causal = true;
  Optimizer optimizer = {};

  TrainingOptions read() const { return {static_cast<std::uint64_t>(seed), optimizer, label_smoothing, causal}; }
};

constexpr auto fields_of(const JsTrainingOptions*) {
  return std::tuple{Field{"seed", &JsTrainingOptions::seed},
                    Field{"labelSmoothing", &JsTrainingOptions::label_smoothing},
                    Field{"causal", &JsTrainingOptions::causal}, Field{"optimizer", &JsTrainingOptions::optimizer}};
}

// Sequences of token ids, one after the other, and where each begins: see TokenRows.
struct JsTokenRows {
  JsIds ids;
  JsIds offsets;

  TokenRows read() const { return {ids.read(), offsets.read()}; }
};

constexpr auto fields_of(const JsTokenRows*) {
  return std::tuple{Field{"ids", &JsTokenRows::ids}, Field{"offsets", &JsTokenRows::offsets}};
}

struct JsBatch {
  JsTokenRows source;  // empty without an encoder beside a decoder
  JsTokenRows inputs;
  JsIds targets;

  Batch read() const { return {source.read(), inputs.read(), targets.read()}; }
};

constexpr auto fields_of(const JsBatch*) {
  return std::tuple{Field{"source", &JsBatch::source}, Field{"inputs", &JsBatch::inputs},
                    Field{"targets", &JsBatch::targets}};
}

// The weights of an attention layer, [batch, heads, queries, keys].
struct JsAttention {
  std::string path;
  JsTensor weights;
};

constexpr auto fields_of(const JsAttention*) {
  return std::tuple{Field{"path", &JsAttention::path}, Field{"weights", &JsAttention::weights}};
}

class AttentionObserver : public Observer {
 public:
  bool wants(std::string_view path) const override { return path.ends_with(".weights"); }
  void record(std::string_view path, Tensor tensor) override {
    found.push_back({std::string(path.substr(0, path.rfind('.'))), JsTensor(tensor)});
  }

  std::vector<JsAttention> found;
};

struct JsStepResult {
  int step;
  double loss;
  double grad_norm;
  double learning_rate;
  std::vector<JsAttention> attentions;
};

constexpr auto fields_of(const JsStepResult*) {
  return std::tuple{Field{"step", &JsStepResult::step}, Field{"loss", &JsStepResult::loss},
                    Field{"gradNorm", &JsStepResult::grad_norm}, Field{"learningRate", &JsStepResult::learning_rate},
                    Field{"attentions", &JsStepResult::attentions}};
}

struct JsEvaluation {
  double loss;
  int targets;
  int correct;
  MaybeTensor logits;
  std::vector<JsAttention> attentions;
};

constexpr auto fields_of(const JsEvaluation*) {
  return std::tuple{Field{"loss", &JsEvaluation::loss}, Field{"targets", &JsEvaluation::targets},
                    Field{"correct", &JsEvaluation::correct}, Field{"logits", &JsEvaluation::logits},
                    Field{"attentions", &JsEvaluation::attentions}};
}

struct JsParameter {
  std::string name;
  std::vector<int> shape;
};

constexpr auto fields_of(const JsParameter*) {
  return std::tuple{Field{"name", &JsParameter::name}, Field{"shape", &JsParameter::shape}};
}

// The value and the moments of each parameter, in the order of parameters().
struct JsTrainingState {
  int steps;
  std::vector<JsTensor> tensors;
};

constexpr auto fields_of(const JsTrainingState*) {
  return std::tuple{Field{"steps", &JsTrainingState::steps}, Field{"tensors", &JsTrainingState::tensors}};
}

constexpr Part kParts[] = {Part::kValue, Part::kMean, Part::kSquare};

class JsTrainer {
 public:
  JsTrainer(Context& context, const TransformerConfig& config, const TrainingOptions& options)
      : context_(context.shared_from_this()), trainer_(config, options) {}

  JsStepResult step(const JsBatch& batch, bool with_attentions) {
    AttentionObserver observer;
    const StepResult result = trainer_.step(batch.read(), context_->threads, with_attentions ? &observer : nullptr);
    return {result.step, result.loss, result.grad_norm, result.learning_rate, std::move(observer.found)};
  }

  JsEvaluation evaluate(const JsBatch& batch, bool with_logits, bool with_attentions) {
    AttentionObserver observer;
    Evaluation result =
        trainer_.evaluate(batch.read(), with_logits, context_->threads, with_attentions ? &observer : nullptr);
    return {result.loss, result.targets, result.correct, MaybeTensor(result.logits), std::move(observer.found)};
  }

  std::vector<JsParameter> parameters() {
    std::vector<JsParameter> list;
    for (const Parameter& one : trainer_.parameters().all()) list.push_back({one.name, one.value.shape()});
    return list;
  }

  int steps() { return trainer_.steps(); }

  std::vector<JsTensor> weights() {
    std::vector<JsTensor> list;
    for (const Parameter& one : trainer_.parameters().all()) list.emplace_back(one.value);
    return list;
  }

  JsTrainingState state() {
    JsTrainingState state = {trainer_.steps(), {}};
    for (const Parameter& one : trainer_.parameters().all()) {
      for (const Part part : kParts) state.tensors.emplace_back(trainer_.part(one.name, part));
    }
    return state;
  }

  // invalid_argument or bad_checkpoint for a state of another model; this one may then have some of its numbers.
  void restore(const JsTrainingState& state) {
    const std::size_t count = trainer_.parameters().all().size() * std::size(kParts);
    require(state.tensors.size() == count, "this model's state has ", count, " tensors, got ", state.tensors.size());
    auto tensor = state.tensors.begin();
    for (const Parameter& one : trainer_.parameters().all()) {
      for (const Part part : kParts) trainer_.restore(one.name, part, (tensor++)->read("a tensor of the state"));
    }
    trainer_.restore_steps(state.steps);
  }

 private:
  std::shared_ptr<Context> context_;
  Trainer trainer_;
};

std::shared_ptr<JsTrainer> make_trainer(Context& context, const Partial<TransformerConfig>& config,
                                        const Partial<JsTrainingOptions>& options) {
  return std::make_shared<JsTrainer>(context, config.read(), options.read().read());
}

}  // namespace

EMSCRIPTEN_BINDINGS(training) {
  register_enum<Decay>();
  register_options<Optimizer>("Optimizer");
  register_options<JsTrainingOptions>("TrainingSettings");
  register_struct<JsTokenRows>("TokenRows");
  register_struct<JsBatch>("TokenBatch");
  register_struct<JsAttention>("LayerAttention");
  emscripten::register_type<std::vector<JsAttention>>("LayerAttention[]");
  register_struct<JsStepResult>("TrainingStep");
  register_struct<JsEvaluation>("TrainingEvaluation");
  register_struct<JsParameter>("TrainedParameter");
  emscripten::register_type<std::vector<JsParameter>>("TrainedParameter[]");
  emscripten::register_type<std::vector<JsTensor>>("TensorData[]");
  register_struct<JsTrainingState>("TrainingState");
  emscripten::class_<JsTrainer>("Trainer")
      .smart_ptr_constructor("Trainer", guarded<make_trainer>)
      .function("step", guarded<&JsTrainer::step>)
      .function("evaluate", guarded<&JsTrainer::evaluate>)
      .function("parameters", guarded<&JsTrainer::parameters>)
      .function("steps", guarded<&JsTrainer::steps>)
      .function("weights", guarded<&JsTrainer::weights>)
      .function("state", guarded<&JsTrainer::state>)
      .function("restore", guarded<&JsTrainer::restore>);
}

}  // namespace transformer::bindings
