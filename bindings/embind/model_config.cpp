#include "model_config.h"

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

SinusoidLayout sinusoid_layout_from_js(const std::string& name) {
  if (name == "interleaved") return SinusoidLayout::kInterleaved;
  if (name == "halves") return SinusoidLayout::kHalves;
  if (name == "fairseq") return SinusoidLayout::kFairseq;
  fail(ErrorCode::kUnsupported, "the sinusoid layout '", name, "' is not known");
}

// { firstOnly, steps: [{ name, outFeatures, bias, activation } | { name, eps }] }, or nothing
HeadConfig head_from_js(const Options& js, const char* name) {
  HeadConfig head;
  if (!js.has(name)) return head;
  const Options options(js.raw(name));
  head.first_only = options.flag("firstOnly");
  const val steps = options.raw("steps");
  for (int i = 0; i < steps["length"].as<int>(); ++i) {
    const Options step(steps[i]);
    head.steps.push_back({.name = step.text("name", ""),
                          .out_features = step.integer("outFeatures", 0),
                          .bias = step.flag("bias", true),
                          .activation = activation_from_js(step.text("activation", "none")),
                          .norm = {.eps = static_cast<float>(step.number("eps", 1e-5))}});
  }
  return head;
}

}  // namespace

TransformerConfig config_from_js(const Options& js) {
  TransformerConfig config;
  StackConfig& encoder = config.encoder;
  StackConfig& decoder = config.decoder;
  const bool embeddings = js.flag("embeddings");

  encoder.layer = layer_config_from_js(js);
  encoder.num_layers = js.integer("numEncoderLayers", 0);
  encoder.vocab =
      encoder.num_layers > 0 && js.flag("encoderEmbeddings", embeddings) ? js.integer("srcVocabSize", 0) : 0;
  encoder.max_length = js.integer("encoderMaxLength", 0);
  encoder.token_types = js.integer("tokenTypes", 0);
  encoder.embedding_norm = js.flag("embeddingNorm");
  encoder.norm = js.flag("encoderNorm");

  decoder.layer = encoder.layer;  // but for what is said of the decoder alone
  decoder.layer.num_heads = js.integer("decoderNumHeads", encoder.layer.num_heads);
  decoder.layer.num_kv_heads = js.integer("decoderNumKvHeads", encoder.layer.num_kv_heads);
  decoder.layer.d_head = js.integer("decoderDHead", encoder.layer.d_head);
  decoder.layer.d_ff = js.integer("decoderDFf", encoder.layer.d_ff);
  decoder.num_layers = js.integer("numDecoderLayers", 0);
  decoder.vocab = decoder.num_layers > 0 && embeddings ? js.integer("tgtVocabSize", 0) : 0;
  decoder.embedding_norm = js.flag("embeddingNorm");
  decoder.norm = js.flag("decoderNorm");

  config.share_embeddings = js.flag("shareEmbeddings");
  config.embedding_scale = static_cast<float>(js.number("embeddingScale", 1));
  config.positions = positions_from_js(js.text("positions", "none"));
  config.max_length = js.integer("maxLength", 0);
  config.sinusoid_layout = sinusoid_layout_from_js(js.text("sinusoidLayout", "interleaved"));
  config.position_offset = js.integer("positionOffset", 0);
  config.rotary_layout = js.flag("rotaryInterleaved") ? RotaryLayout::kInterleaved : RotaryLayout::kHalves;
  config.rotary_base = js.number("rotaryBase", 10000);
  config.relative_buckets = js.integer("relativeBuckets", 32);
  config.relative_max_distance = js.integer("relativeMaxDistance", 128);
  config.pooler = head_from_js(js, "pooler");
  config.head = head_from_js(js, "head");
  config.output_vocab = js.flag("projection") ? js.integer("tgtVocabSize", 0) : 0;
  config.projection_bias = js.flag("projectionBias");
  config.tie_embeddings = js.flag("tieEmbeddings");
  config.projection_scale = static_cast<float>(js.number("projectionScale", 1));
  require(!embeddings || encoder.num_layers == 0 || encoder.vocab > 0 || !js.flag("encoderEmbeddings", true),
          "srcVocabSize must be positive, got ", encoder.vocab);
  require(!embeddings || decoder.num_layers == 0 || decoder.vocab > 0, "tgtVocabSize must be positive, got ",
          decoder.vocab);
  require(!js.flag("projection") || config.output_vocab > 0, "an output projection needs a vocabulary");
  return config;
}

}  // namespace transformer::bindings
