#include "model.h"

#include <emscripten/emscripten.h>

#include "layers.h"

namespace transformer::bindings {

namespace {

Positions positions_from_js(const std::string& name) {
  if (name == "none") return Positions::kNone;
  if (name == "sinusoidal") return Positions::kSinusoidal;
  if (name == "learned") return Positions::kLearned;
  if (name == "rotary") return Positions::kRotary;
  if (name == "alibi") return Positions::kAlibi;
  if (name == "relative") return Positions::kRelative;
  fail(ErrorCode::kUnsupported, "the position scheme '", name, "' is not known");
}

TransformerConfig config_from_js(const Options& js) {
  TransformerConfig config;
  config.layer = layer_config_from_js(js);
  config.num_encoder_layers = js.integer("numEncoderLayers", 0);
  config.num_decoder_layers = js.integer("numDecoderLayers", 0);
  config.embeddings = js.flag("embeddings");
  config.src_vocab = js.integer("srcVocabSize", 0);
  config.tgt_vocab = js.integer("tgtVocabSize", 0);
  config.tie_embeddings = js.flag("tieEmbeddings");
  config.share_embeddings = js.flag("shareEmbeddings");
  config.embedding_scale = static_cast<float>(js.number("embeddingScale", 1));
  config.projection = js.flag("projection");
  config.projection_bias = js.flag("projectionBias");
  config.encoder_norm = js.flag("encoderNorm");
  config.decoder_norm = js.flag("decoderNorm");
  config.positions = positions_from_js(js.text("positions", "none"));
  config.max_length = js.integer("maxLength", 0);
  config.sinusoid_layout = js.flag("sinusoidHalves") ? SinusoidLayout::kHalves : SinusoidLayout::kInterleaved;
  config.rotary_layout = js.flag("rotaryInterleaved") ? RotaryLayout::kInterleaved : RotaryLayout::kHalves;
  config.rotary_base = js.number("rotaryBase", 10000);
  config.relative_buckets = js.integer("relativeBuckets", 32);
  config.relative_max_distance = js.integer("relativeMaxDistance", 128);
  return config;
}

// Keeps the attention weights and the hidden states of a pass under their paths.
class PassProbe : public Probe {
 public:
  PassProbe(bool attentions, bool hidden_states) : attentions_(attentions), hidden_states_(hidden_states) {}

  bool wants(std::string_view path) const override {
    return ends_with(path, ".weights") ? attentions_ : hidden_states_;
  }
  void record(std::string_view path, Tensor tensor) override {
    recorded_.emplace_back(std::string(path), std::move(tensor));
  }

  // `name` of layers 0, 1, ... of a stack.
  val per_layer(const std::string& stack, const std::string& name) const {
    val list = val::array();
    for (const auto& [path, tensor] : recorded_) {
      if (path.starts_with(stack + ".layers.") && ends_with(path, name)) list.call<void>("push", to_js(tensor));
    }
    return list;
  }

  // The input of the first layer, then every layer's output, the last one after the final norm.
  val hidden_states(const std::string& stack) const {
    val list = val::array();
    const Tensor* last = nullptr;
    for (const auto& [path, tensor] : recorded_) {
      const bool is_layer = path.starts_with(stack + ".layers.") && ends_with(path, ".output");
      if (!is_layer && path != stack + ".embeddings" && path != stack + ".output") continue;
      if (last && path != stack + ".output") list.call<void>("push", to_js(*last));
      last = &tensor;
    }
    if (last) list.call<void>("push", to_js(*last));
    return list;
  }

 private:
  static bool ends_with(std::string_view path, std::string_view name) { return path.ends_with(name); }

  bool attentions_;
  bool hidden_states_;
  std::vector<std::pair<std::string, Tensor>> recorded_;  // in the order of the pass
};

struct DecoderInput {
  OwnedSequences tgt;
  Memory memory;
};

OwnedSequences read_sequences(const ResidentTransformer& transformer, const val& value, const char* name) {
  const TransformerConfig& config = transformer.model.config();
  return sequences_from_js(value, name, config.embeddings, config.layer.d_model);
}

Tensor run_encoder(ResidentTransformer& transformer, const OwnedSequences& src, const Mask& mask,
                   Workspace& workspace) {
  Tensor memory(src.shape_with(transformer.model.config().layer.d_model));
  const ProbeScope probe(workspace, "encoder");
  transformer.model.encoder().forward(src.view, mask, memory.matrix(), workspace);
  return memory;
}

Tensor run_decoder(ResidentTransformer& transformer, const OwnedSequences& tgt, const Memory& memory,
                   const DecoderMasks& masks, Workspace& workspace) {
  Tensor hidden(tgt.shape_with(transformer.model.config().layer.d_model));
  const ProbeScope probe(workspace, "decoder");
  DecoderState state = transformer.model.decoder().start(memory, tgt.view.batch, tgt.view.time, workspace);
  transformer.model.decoder().forward(tgt.view, state, masks, hidden.matrix(), workspace);
  return hidden;
}

// Sets `logits` where the model has an output projection, else `output`.
void set_output(ResidentTransformer& transformer, const OwnedSequences& sequences, const Tensor& hidden, val& result,
                Workspace& workspace) {
  if (!transformer.model.has_projection()) return result.set("output", to_js(hidden));
  Tensor logits(sequences.shape_with(transformer.model.config().tgt_vocab));
  transformer.model.project(hidden.matrix(), logits.matrix(), workspace);
  result.set("logits", to_js(logits));
}

OwnedMask read_mask(const ResidentTransformer& transformer, const Options& options, const MaskNames& names, int batch,
                    int queries, int keys) {
  return mask_from_js(options, names, {batch, transformer.model.config().layer.num_heads, queries, keys});
}

constexpr MaskNames kMemoryMask = {"memoryMask", "memoryBias", "memoryKeyPaddingMask"};
constexpr MaskNames kSourceMask = {"srcMask", "srcBias", "srcKeyPaddingMask"};
constexpr MaskNames kTargetMask = {"tgtMask", "tgtBias", "tgtKeyPaddingMask"};

// The decoder over tgt and the memory; fills result with its output.
void decode_into(ResidentTransformer& transformer, const val& tgt_js, const Tensor* memory, const Options& options,
                 const MaskNames& names, val& result, Workspace& workspace) {
  const OwnedSequences tgt = read_sequences(transformer, tgt_js, "tgt");
  const int batch = tgt.view.batch;
  const int time = tgt.view.time;
  Memory view;
  if (memory) {
    const bool batched = memory->shape().size() == 3;
    view = {memory->matrix(), batched ? memory->axis(0) : 1, memory->axis(batched ? 1 : 0)};
    require(view.batch == batch, "tgt and memory must have one batch size, got ", batch, " and ", view.batch);
  }
  OwnedMask self = read_mask(transformer, options, names, batch, time, time);
  self.view.causal = options.flag("isCausal");
  const OwnedMask cross = read_mask(transformer, options, kMemoryMask, batch, time, view.keys);
  const Tensor hidden = run_decoder(transformer, tgt, view, {self.view, cross.view}, workspace);
  set_output(transformer, tgt, hidden, result, workspace);
}

}  // namespace

std::shared_ptr<ResidentTransformer> make_transformer(Context& context, const val& config, WeightsInput& weights) {
  return std::make_shared<ResidentTransformer>(context, weights, config_from_js(Options(config)));
}

val encode(ResidentTransformer& transformer, const val& src_js, const val& options_js) {
  require(transformer.model.has_encoder(), "this model has no encoder");
  const Options options(options_js);
  const OwnedSequences src = read_sequences(transformer, src_js, "src");
  OwnedMask mask = read_mask(transformer, options, {}, src.view.batch, src.view.time, src.view.time);
  mask.view.causal = options.flag("isCausal");
  Workspace workspace = transformer.workspace();
  return to_js(run_encoder(transformer, src, mask.view, workspace));
}

val decode(ResidentTransformer& transformer, const val& tgt, const val& memory_js, const val& options_js) {
  require(transformer.model.has_decoder(), "this model has no decoder");
  const Options options(options_js);
  Workspace workspace = transformer.workspace();
  val result = val::object();
  if (transformer.model.decoder().has_cross_attention()) {
    const OwnedSequences memory =
        sequences_from_js(memory_js, "memory", false, transformer.model.config().layer.d_model);
    decode_into(transformer, tgt, &memory.vectors, options, {}, result, workspace);
  } else {
    decode_into(transformer, tgt, nullptr, options, {}, result, workspace);
  }
  return result;
}

val forward(ResidentTransformer& transformer, const val& src_js, const val& tgt_js, const val& options_js) {
  const Options options(options_js);
  const Transformer& model = transformer.model;
  PassProbe probe(options.flag("outputAttentions"), options.flag("outputHiddenStates"));
  const bool probing = options.flag("outputAttentions") || options.flag("outputHiddenStates");
  Workspace workspace = transformer.workspace(probing ? &probe : nullptr);
  val result = val::object();

  Tensor memory;
  if (model.has_encoder()) {
    const OwnedSequences src = read_sequences(transformer, src_js, "src");
    OwnedMask mask = read_mask(transformer, options, kSourceMask, src.view.batch, src.view.time, src.view.time);
    mask.view.causal = !model.has_decoder() && options.flag("isCausal");
    memory = run_encoder(transformer, src, mask.view, workspace);
    if (model.has_decoder()) {
      result.set("encoderOutput", to_js(memory));
    } else {
      set_output(transformer, src, memory, result, workspace);
    }
  }
  if (model.has_decoder()) {
    decode_into(transformer, tgt_js, model.has_encoder() ? &memory : nullptr, options, kTargetMask, result, workspace);
  }
  if (options.flag("outputAttentions")) {
    if (model.has_encoder()) result.set("encoderAttentions", probe.per_layer("encoder", ".self_attn.weights"));
    if (model.has_decoder()) result.set("decoderAttentions", probe.per_layer("decoder", ".self_attn.weights"));
    if (model.has_encoder() && model.has_decoder()) {
      result.set("crossAttentions", probe.per_layer("decoder", ".cross_attn.weights"));
    }
  }
  if (options.flag("outputHiddenStates")) {
    if (model.has_encoder()) result.set("encoderHiddenStates", probe.hidden_states("encoder"));
    if (model.has_decoder()) result.set("decoderHiddenStates", probe.hidden_states("decoder"));
  }
  return result;
}

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
  options.seed = static_cast<std::uint64_t>(js.number("seed", 0));
  options.repetition_penalty = static_cast<float>(js.number("repetitionPenalty", 1));
  options.no_repeat_ngram_size = js.integer("noRepeatNgramSize", 0);
  if (js.has("badWordsIds")) options.bad_words_ids = id_lists_from_js(js.raw("badWordsIds"));
  options.forced_bos_token_id = js.integer("forcedBosTokenId", -1);
  options.forced_eos_token_id = js.integer("forcedEosTokenId", -1);
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
  const GenerationOptions options = generation_options_from_js(Options(options_js));
  Transformer& model = transformer->model;
  ThreadPool& threads = transformer->context->threads;
  return std::shared_ptr<Generation>(new Generation{std::move(transformer), Generator(model, ids, options, threads)});
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
