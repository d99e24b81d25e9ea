// A generation as JavaScript holds it. JavaScript asks for more tokens, so that it can stop between two requests.
#include <emscripten/emscripten.h>

#include "generation/generator.h"
#include "guarded.h"
#include "hypothesis.h"
#include "model.h"
#include "tensors.h"

TRANSFORMER_NAMED_ENUM(transformer::EarlyStopping);

namespace transformer::bindings {

namespace {

// The input of a generation, with the factors of heads and whether to profile.
struct JsGenerationInput {
  JsIdLists sources;           // for the encoder, one per sequence
  MaybeTensor source_vectors;  // in place of sources: [batch, time, d_model]
  JsMedia media;               // likewise: sound or pictures, one of each sequence
  MaybeTensor memory;          // the encoder's output in place of sources: [batch, time, d_model]
  JsIdLists prompts;           // the ids that each sequence starts with
  JsIds padding;               // the number of padding ids at the start of each prompt
  JsIdLists shortlists;        // the ids that can be chosen for each input; none: those of the options
  JsIds form_nodes;            // of a grammar that the answers keep to, as GrammarTables has them
  JsIds form_edges;
  int form_begun = 0;  // ids at the end of the prompts that the form begins with
  std::vector<HeadFactor> heads = {};
  std::vector<JsEdit> edits = {};
  bool profile = false;
};

constexpr auto fields_of(const JsGenerationInput*) {
  return std::tuple{
      Field{"sources", &JsGenerationInput::sources},       Field{"sourceVectors", &JsGenerationInput::source_vectors},
      Field{"media", &JsGenerationInput::media},           Field{"memory", &JsGenerationInput::memory},
      Field{"prompts", &JsGenerationInput::prompts},       Field{"padding", &JsGenerationInput::padding},
      Field{"shortlists", &JsGenerationInput::shortlists}, Field{"formNodes", &JsGenerationInput::form_nodes},
      Field{"formEdges", &JsGenerationInput::form_edges},  Field{"formBegun", &JsGenerationInput::form_begun},
      Field{"heads", &JsGenerationInput::heads},           Field{"edits", &JsGenerationInput::edits},
      Field{"profile", &JsGenerationInput::profile}};
}

// Owns a reference to its model, so that the model outlives it.
struct Generation {
  Generation(std::shared_ptr<ResidentModel> owner, const JsGenerationInput& given, const GenerationOptions& options)
      : model(std::move(owner)),
        factors(model->head_factors(given.heads)),
        editor(model->editor(given.edits)),
        workspace{arena,
                  model->context->threads,
                  nullptr,
                  given.profile ? &profiler : nullptr,
                  factors.empty() ? nullptr : &factors,
                  editor.get()},
        generator(model->sequence_model(), read(given), options, workspace) {
    generator.share(model->company);
  }

  GenerationInput read(const JsGenerationInput& given) {
    vectors = given.source_vectors.read("sourceVectors");
    GenerationInput input = {.sources = given.sources.read(), .prompts = given.prompts.read()};
    if (!vectors.empty()) input.source_vectors = vectors.matrix();
    media = given.media.read();
    if (!media.is_missing()) input.media = &media;
    memory = given.memory.read("memory");
    if (!memory.empty()) input.memory = memory.matrix();
    input.padding = given.padding.read();
    input.shortlists = given.shortlists.read();
    input.form = model->form_of({given.form_nodes.read(), given.form_edges.read()});
    input.form_begun = given.form_begun;
    return input;
  }

  std::shared_ptr<ResidentModel> model;
  std::shared_ptr<ResidentModel> assistant;
  HeadFactors factors;
  std::unique_ptr<Edits> editor;
  Profiler profiler;
  Tensor vectors;
  MediaTensors media;
  Tensor memory;
  Arena arena;
  Workspace workspace;
  Generator generator;
};

// Not a shared_ptr: Embind converts one to that of the base class by a copy, which it leaks when the call throws.
std::shared_ptr<Generation> make_generation(Context&, ResidentModel& model, const Partial<JsGenerationInput>& input,
                                            const Partial<GenerationOptions>& options) {
  return std::make_shared<Generation>(model.shared_from_this(), input.read(), options.read());
}

// Before the first token: the assistant guesses what follows.
void assist(Generation& generation, ResidentModel& assistant) {
  generation.assistant = assistant.shared_from_this();
  generation.generator.assist(assistant.sequence_model());
}

struct JsProgress {
  bool done;
  std::vector<JsIds> certain;  // for each input, the generated ids that its best result is certain to start with
  std::vector<std::vector<JsHypothesis>> results;  // for each input, best first; empty if they are not wanted yet
};

constexpr auto fields_of(const JsProgress*) {
  return std::tuple{Field{"done", &JsProgress::done}, Field{"certain", &JsProgress::certain},
                    Field{"results", &JsProgress::results}};
}

std::vector<std::vector<JsHypothesis>> results_of(const Generator& generator) {
  std::vector<std::vector<JsHypothesis>> inputs;
  for (int i = 0; i < generator.size(); ++i) {
    auto& hypotheses = inputs.emplace_back();
    for (const Hypothesis& hypothesis : generator.search(i).results()) {
      hypotheses.emplace_back(hypothesis);
    }
  }
  return inputs;
}

// Generates tokens until `milliseconds` have passed, at least one; or tells at once what others have generated for it,
// so that a round of several callers takes as long as one.
// wants_results: before the end too, so that a caller need not ask for them, which takes long on a busy page
JsProgress advance(Generation& generation, double milliseconds, bool wants_results) {
  Generator& generator = generation.generator;
  const double until = emscripten_get_now() + milliseconds;
  while (generator.step() && !generator.done() && emscripten_get_now() < until) {
  }
  JsProgress progress = {generator.done(), {}, {}};
  for (int i = 0; i < generator.size(); ++i) progress.certain.emplace_back(generator.search(i).certain());
  if (wants_results || progress.done) progress.results = results_of(generator);
  return progress;
}

// The rows of an input so far; empty for one that does not choose in the next step.
std::vector<std::vector<int>> open_rows(Generation& generation, int index) {
  return generation.generator.open_rows(index);
}

// The ids that each of these rows may take in the next step.
void allow(Generation& generation, int index, const std::vector<std::vector<int>>& allowed) {
  generation.generator.allow(index, allowed);
}

// The profile since the last call, of a generation made with { profile: true }.
std::vector<ProfiledPart> profile(Generation& generation) {
  std::vector<ProfiledPart> parts = parts_of(generation.profiler);
  generation.profiler.clear();
  return parts;
}

}  // namespace

EMSCRIPTEN_BINDINGS(generation) {
  register_enum<EarlyStopping>();
  emscripten::register_type<std::vector<std::vector<int>>>("number[][]");
  emscripten::register_type<std::vector<std::vector<double>>>("number[][]");
  register_options<GenerationOptions>("GenerationOptions");

  emscripten::register_type<JsIdLists>("Int32Array[]");
  register_options<JsGenerationInput>("GenerationInput");
  emscripten::register_type<std::vector<JsIds>>("Int32Array[]");
  register_struct<JsProgress>("GenerationProgress");
  register_struct<JsHypothesis>("Hypothesis");
  emscripten::register_type<std::vector<JsHypothesis>>("Hypothesis[]");
  emscripten::register_type<std::vector<std::vector<JsHypothesis>>>("Hypothesis[][]");
  emscripten::class_<Generation>("Generation")
      .smart_ptr_constructor("Generation", guarded<make_generation>)
      .function("assist", guarded<assist>)
      .function("advance", guarded<advance>)
      .function("openRows", guarded<open_rows>)
      .function("allow", guarded<allow>)
      .function("profile", guarded<profile>);
}

}  // namespace transformer::bindings
