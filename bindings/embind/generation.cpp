#include "generation.h"

#include <emscripten/emscripten.h>

namespace transformer::bindings {

namespace {

std::vector<std::vector<int>> id_lists_from_js(const val& lists) {
  std::vector<std::vector<int>> ids;
  const auto count = lists["length"].as<int>();
  for (int i = 0; i < count; ++i) ids.push_back(ints_from_js(lists[i]));
  return ids;
}

GenerationOptions generation_options_from_js(const Options& js) {
  GenerationOptions options;
  options.max_new_tokens = js.integer("maxNewTokens", options.max_new_tokens);
  options.min_new_tokens = js.integer("minNewTokens", options.min_new_tokens);
  if (js.has("eosTokenIds")) options.eos_token_ids = ints_from_js(js.raw("eosTokenIds"));
  options.num_beams = js.integer("numBeams", options.num_beams);
  options.num_return_sequences = js.integer("numReturnSequences", options.num_return_sequences);
  options.length_penalty = static_cast<float>(js.number("lengthPenalty", 1));
  const std::string early_stopping = js.text("earlyStopping", "false");
  options.early_stopping = early_stopping == "true"    ? EarlyStopping::kYes
                           : early_stopping == "never" ? EarlyStopping::kNever
                                                       : EarlyStopping::kNo;
  options.do_sample = js.flag("doSample");
  options.temperature = static_cast<float>(js.number("temperature", 1));
  options.top_k = js.integer("topK", 0);
  options.top_p = static_cast<float>(js.number("topP", 1));
  options.typical_p = static_cast<float>(js.number("typicalP", 1));
  options.seed = static_cast<std::uint64_t>(js.number("seed", 0));
  options.repetition_penalty = static_cast<float>(js.number("repetitionPenalty", 1));
  options.no_repeat_ngram_size = js.integer("noRepeatNgramSize", 0);
  if (js.has("badWordsIds")) options.bad_words_ids = id_lists_from_js(js.raw("badWordsIds"));
  options.forced_bos_token_id = js.integer("forcedBosTokenId", -1);
  options.forced_eos_token_id = js.integer("forcedEosTokenId", -1);
  if (js.has("suppressTokens")) options.suppress_tokens = ints_from_js(js.raw("suppressTokens"));
  if (js.has("beginSuppressTokens")) options.begin_suppress_tokens = ints_from_js(js.raw("beginSuppressTokens"));
  if (js.has("shortlist")) options.shortlist = ints_from_js(js.raw("shortlist"));
  options.renormalize_logits = js.flag("renormalizeLogits");
  return options;
}

}  // namespace

std::shared_ptr<Generation> generate(std::shared_ptr<ResidentTransformer> transformer, const val& input_js,
                                     const val& options_js) {
  const Options input(input_js);
  GenerationInput ids;
  if (input.has("sources")) ids.sources = id_lists_from_js(input.raw("sources"));
  ids.prompts = id_lists_from_js(input.raw("prompts"));
  if (input.has("padding")) ids.padding = ints_from_js(input.raw("padding"));
  const Tensor vectors = input.has("sourceVectors") ? input.tensor("sourceVectors") : Tensor();
  if (!vectors.empty()) ids.source_vectors = vectors.matrix();
  const Options options(options_js);
  return std::make_shared<Generation>(std::move(transformer), ids, generation_options_from_js(options), options);
}

val advance(Generation& generation, double milliseconds) {
  const double until = emscripten_get_now() + milliseconds;
  do {
    generation.generator.step();
  } while (!generation.generator.done() && emscripten_get_now() < until);
  val certain = val::array();
  for (int i = 0; i < generation.generator.size(); ++i) {
    certain.call<void>("push", to_js(generation.generator.search(i).certain()));
  }
  val result = val::object();
  result.set("done", generation.generator.done());
  result.set("certain", certain);
  return result;
}

val results(const Generation& generation) {
  val inputs = val::array();
  for (int i = 0; i < generation.generator.size(); ++i) {
    val hypotheses = val::array();
    for (const Hypothesis& hypothesis : generation.generator.search(i).results()) {
      const std::vector<float>& scores = hypothesis.token_scores;
      val item = val::object();
      item.set("ids", to_js(hypothesis.ids));
      item.set("score", hypothesis.score);
      item.set("tokenScores", val(emscripten::typed_memory_view(scores.size(), scores.data())).call<val>("slice"));
      hypotheses.call<void>("push", item);
    }
    inputs.call<void>("push", hypotheses);
  }
  return inputs;
}

}  // namespace transformer::bindings
