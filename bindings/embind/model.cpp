// Passes of a whole model, and what they record.
#include "model.h"

#include <algorithm>

#include "configs.h"
#include "generation/score_texts.h"
#include "generation/stored_prefix.h"
#include "guarded.h"
#include "hypothesis.h"
#include "transformer/observable_paths.h"
#include "transformer/pass_observer.h"

namespace transformer::bindings {

std::shared_ptr<GrammarStates> ResidentModel::form_of(GrammarTables tables) {
  if (tables.nodes.empty()) return nullptr;
  require(trie != nullptr, "a form needs what the model's tokens write");
  const auto has_tables = [&](const auto& form) { return form->tables() == tables && !form->is_large(); };
  auto known = std::find_if(forms_.begin(), forms_.end(), has_tables);
  if (known == forms_.end()) {
    constexpr std::size_t kMostForms = 4;
    if (forms_.size() == kMostForms) forms_.pop_back();
    forms_.push_back(std::make_shared<GrammarStates>(std::move(tables), trie));
    known = std::prev(forms_.end());
  }
  std::rotate(forms_.begin(), known, std::next(known));
  return forms_.front();
}

const std::vector<std::string>& ResidentModel::paths() {
  if (paths_.empty()) {
    Workspace space = workspace();
    paths_ = find_paths(space);
  }
  return paths_;
}

SentenceCall JsSentence::read() const { return isUndefined() ? SentenceCall{} : as<SentenceCall>(); }

ForwardCall JsPassOptions::call(const MaybeInput& src, const MaybeInput& tgt) const {
  ForwardCall call = {src.read("src"),
                      tgt.read("tgt"),
                      src_masks.read(kSourceMaskNames),
                      tgt_masks.read(kTargetMaskNames),
                      memory_masks.read(kMemoryMaskNames),
                      is_causal,
                      skip_padding,
                      skip_logits,
                      columns,
                      media.read(),
                      others.read("others"),
                      sentence.read()};
  call.src.token_types = token_types.read();
  return call;
}

std::vector<ProfiledPart> parts_of(const Profiler& profiler) {
  std::vector<ProfiledPart> parts;
  for (const Profiler::Part& part : profiler.parts()) {
    parts.push_back({part.path, part.work.flops, part.work.weight_bytes, part.work.state_bytes, part.seconds * 1e3});
  }
  return parts;
}

std::vector<JsTraced> traced_by(const PassObserver& observer) {
  std::vector<JsTraced> list;
  for (const Traced& traced : observer.trace()) list.push_back({traced.name, traced.path, JsTensor(*traced.tensor)});
  return list;
}

namespace {

double count_parameters(ResidentModel& model) { return model.parameter_count(); }

double weight_bytes(ResidentModel& model) { return model.weight_bytes; }

struct JsPassOutput {
  MaybeTensor output;
  MaybeTensor logits;
  MaybeTensor pooler_output;
  MaybeTensor encoder_output;
  MaybeTensor embeds, similarities, transposed, media_mask;
  Shape grid = {};
  std::vector<JsTensor> encoder_attentions = {}, decoder_attentions = {}, cross_attentions = {};
  std::vector<JsTensor> encoder_hidden_states = {}, decoder_hidden_states = {};
  std::vector<JsTraced> trace = {};
  std::vector<ProfiledPart> profile = {};
};

constexpr auto fields_of(const JsPassOutput*) {
  return std::tuple{Field{"output", &JsPassOutput::output},
                    Field{"logits", &JsPassOutput::logits},
                    Field{"poolerOutput", &JsPassOutput::pooler_output},
                    Field{"encoderOutput", &JsPassOutput::encoder_output},
                    Field{"embeds", &JsPassOutput::embeds},
                    Field{"similarities", &JsPassOutput::similarities},
                    Field{"transposed", &JsPassOutput::transposed},
                    Field{"mediaMask", &JsPassOutput::media_mask},
                    Field{"grid", &JsPassOutput::grid},
                    Field{"encoderAttentions", &JsPassOutput::encoder_attentions},
                    Field{"decoderAttentions", &JsPassOutput::decoder_attentions},
                    Field{"crossAttentions", &JsPassOutput::cross_attentions},
                    Field{"encoderHiddenStates", &JsPassOutput::encoder_hidden_states},
                    Field{"decoderHiddenStates", &JsPassOutput::decoder_hidden_states},
                    Field{"trace", &JsPassOutput::trace},
                    Field{"profile", &JsPassOutput::profile}};
}

std::vector<JsTensor> to_js(const std::vector<const Tensor*>& tensors) {
  std::vector<JsTensor> list;
  for (const Tensor* tensor : tensors) list.emplace_back(*tensor);
  return list;
}

void add_observed(const PassObserver& observer, const JsPassOptions& options, JsPassOutput& output) {
  if (options.output_attentions) {
    output.encoder_attentions = to_js(observer.all("encoder.layers.*.self_attn.weights"));
    output.decoder_attentions = to_js(observer.all("decoder.layers.*.self_attn.weights"));
    output.cross_attentions = to_js(observer.all("decoder.layers.*.cross_attn.weights"));
    // A recurrent decoder attends once a step, whatever the number of its layers.
    if (output.cross_attentions.empty()) output.cross_attentions = to_js(observer.all("decoder.attention.weights"));
  }
  if (options.output_hidden_states) {
    output.encoder_hidden_states = to_js(observer.hidden_states("encoder"));
    output.decoder_hidden_states = to_js(observer.hidden_states("decoder"));
  }
  output.trace = traced_by(observer);
}

// Limits what is remembered of sequences and sources, unless the limit is negative -> its bytes now
double limit_prefixes(ResidentModel& model, double bytes) {
  PrefixCache& prefixes = model.company.prefixes;
  if (bytes >= 0) prefixes.limit_to(static_cast<std::size_t>(std::min(bytes, 4294967295.0)));
  return static_cast<double>(prefixes.bytes());
}

double recalled_tokens(ResidentModel& model) { return static_cast<double>(model.company.prefixes.recalled()); }

// What is remembered of a page of a sequence; a tensor of no numbers where nothing is.
JsTensor stored_prefix(ResidentModel& model, const JsIds& ids, int place) {
  const std::vector<int> own = ids.read();
  return JsTensor(stored_page(model.company.prefixes, {own, place}));
}

// Remembers it again -> false where there is no room
bool restore_prefix(ResidentModel& model, const JsIds& ids, int place, const JsTensor& numbers) {
  Workspace workspace = model.workspace();
  const std::vector<int> own = ids.read();
  return restore_page(*model.sequence_model(), model.company.prefixes, {own, place}, numbers.read("numbers"),
                      workspace);
}

// The log-probabilities of texts. Sources: of a model with an encoder.
std::vector<JsHypothesis> score(ResidentModel& model, const JsIdLists& sources, const JsIdLists& prompts,
                                const JsIdLists& texts) {
  PrefixCache& prefixes = model.company.prefixes;
  GenerationInput input = {.sources = sources.read(), .prompts = prompts.read()};
  if (prefixes.limit() > 0) input.prefixes = &prefixes;
  Workspace workspace = model.workspace();
  const auto scored = score_texts(*model.sequence_model(), input, texts.read(), workspace);
  return {scored.begin(), scored.end()};
}

// What the model's tokens write: ids in the order of their bytes, which follow each other and end at `ends`.
void set_pieces(ResidentModel& model, const JsIds& ids, const JsIds& ends, const JsIds& bytes) {
  const std::vector<int> numbers = bytes.read();
  model.trie = std::make_shared<const TokenTrie>(ids.read(), ends.read(),
                                                 std::vector<std::uint8_t>(numbers.begin(), numbers.end()),
                                                 model.sequence_model()->vocab());
}

JsPassOutput forward_tensors(ResidentModel& model, const MaybeInput& src, const MaybeInput& tgt,
                             const Partial<JsPassOptions>& given) {
  const JsPassOptions options = given.read();
  const WantedTensors wanted = {options.output_attentions, options.output_hidden_states, options.last_state_before_norm,
                                options.trace};
  if (!wanted.trace.empty()) require_matches(wanted.trace, model.paths());
  PassObserver observer(wanted);
  Profiler profiler;
  const HeadFactors factors = model.head_factors(options.heads);
  const std::unique_ptr<Edits> editor = model.editor(options.edits);
  Workspace workspace = model.workspace();
  workspace.editor = editor.get();
  if (wanted.anything()) workspace.observer = &observer;
  if (options.profile) workspace.profiler = &profiler;
  if (!factors.empty()) workspace.head_factors = &factors;
  const ForwardResult result = model.forward(options.call(src, tgt), workspace);
  if (editor) editor->require_used();
  JsPassOutput output = {MaybeTensor(result.output),        MaybeTensor(result.logits),
                         MaybeTensor(result.pooler_output), MaybeTensor(result.encoder_output),
                         MaybeTensor(result.embeds),        MaybeTensor(result.similarities),
                         MaybeTensor(result.transposed),    MaybeTensor(result.media_mask)};
  if (result.grid.columns > 0) output.grid = {result.grid.rows, result.grid.columns};
  add_observed(observer, options, output);
  output.profile = parts_of(profiler);
  return output;
}

}  // namespace

EMSCRIPTEN_BINDINGS(model_options) {
  register_struct<HeadFactor>("HeadFactor");
  emscripten::register_type<std::vector<HeadFactor>>("HeadFactor[]");
  register_enum<EditKind>();
  register_struct<JsEdit>("Edit");
  emscripten::register_type<std::vector<JsEdit>>("Edit[]");
  register_enum<Pooling>();
  static const std::string poolings = [] {
    std::string names;
    for (const auto& known : enum_names(Pooling{})) names += concat(names.empty() ? "('" : " | '", known.name, "'");
    return names + ")[]";
  }();
  emscripten::register_type<std::vector<Pooling>>(poolings.c_str());
  register_struct<SentenceCall>("SentenceCall");
  emscripten::register_type<JsSentence>("SentenceCall | undefined");
  register_options<JsPassOptions>("PassOptions", [](auto& options) {
    add_masks<&JsPassOptions::memory_masks>(options, kMemoryMaskNames);
    add_masks<&JsPassOptions::src_masks>(options, kSourceMaskNames);
    add_masks<&JsPassOptions::tgt_masks>(options, kTargetMaskNames);
  });
}

EMSCRIPTEN_BINDINGS(model) {
  register_struct<ProfiledPart>("ProfiledPart");
  emscripten::register_type<std::vector<ProfiledPart>>("ProfiledPart[]");
  register_struct<JsTraced>("Traced");
  emscripten::register_type<std::vector<JsTraced>>("Traced[]");
  emscripten::register_type<std::vector<JsTensor>>("{ data: Float32Array, shape: number[] }[]");
  register_struct<JsPassOutput>("PassOutput");
  emscripten::class_<ResidentModel>("Model")
      .smart_ptr<std::shared_ptr<ResidentModel>>("Model")
      .function("forward", guarded<forward_tensors>)
      .function("setPieces", guarded<set_pieces>)
      .function("score", guarded<score>)
      .function("limitPrefixes", guarded<limit_prefixes>)
      .function("recalledTokens", &recalled_tokens)
      .function("storedPrefix", guarded<stored_prefix>)
      .function("restorePrefix", guarded<restore_prefix>)
      .function("parameterCount", &count_parameters)
      .function("weightBytes", &weight_bytes);
}

}  // namespace transformer::bindings
