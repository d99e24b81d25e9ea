// The building blocks without a state: functions of tensors.
#include "attention/additive.h"
#include "attention/attention.h"
#include "attention/luong.h"
#include "configs.h"
#include "context.h"
#include "guarded.h"
#include "kernels/norm.h"
#include "kernels/softmax.h"
#include "matrices/matmul.h"
#include "positions/alibi.h"
#include "positions/rotary.h"
#include "positions/sinusoidal.h"
#include "tensors.h"

TRANSFORMER_NAMED_ENUM(transformer::LuongScore);

namespace transformer::bindings {

namespace {

struct JsAttentionOptions {
  MaybeTensor mask;
  MaybeTensor bias;
  bool is_causal = AttentionOptions{}.is_causal;
  int window = AttentionOptions{}.window;
  std::optional<float> scale = AttentionOptions{}.scale;
  bool need_weights = AttentionOptions{}.need_weights;
};

constexpr auto fields_of(const JsAttentionOptions*) {
  return std::tuple{
      Field{"mask", &JsAttentionOptions::mask},          Field{"bias", &JsAttentionOptions::bias},
      Field{"isCausal", &JsAttentionOptions::is_causal}, Field{"window", &JsAttentionOptions::window},
      Field{"scale", &JsAttentionOptions::scale},        Field{"needWeights", &JsAttentionOptions::need_weights}};
}

struct JsAttentionResult {
  JsTensor output;
  MaybeTensor weights;
};

constexpr auto fields_of(const JsAttentionResult*) {
  return std::tuple{Field{"output", &JsAttentionResult::output}, Field{"weights", &JsAttentionResult::weights}};
}

JsAttentionResult attention(Context& context, const JsTensor& query, const JsTensor& key, const JsTensor& value,
                            const Partial<JsAttentionOptions>& given) {
  const JsAttentionOptions options = given.read();
  Arena arena;
  Workspace workspace{arena, context.threads};
  const AttentionResult result = scaled_dot_product_attention(
      {query.read("query"), key.read("key"), value.read("value"), options.mask.read("mask"), options.bias.read("bias")},
      {options.is_causal, options.window, options.scale, options.need_weights}, workspace);
  return {JsTensor(result.output), MaybeTensor(result.weights)};
}

struct JsScored {
  JsTensor context;
  JsTensor weights;
  JsTensor scores;
};

constexpr auto fields_of(const JsScored*) {
  return std::tuple{Field{"context", &JsScored::context}, Field{"weights", &JsScored::weights},
                    Field{"scores", &JsScored::scores}};
}

JsScored to_js(const ScoredAttention& result) {
  return {JsTensor(result.context), JsTensor(result.weights), JsTensor(result.scores)};
}

template <class Options>
ScoreArguments score_arguments(const JsTensor& queries, const JsTensor& keys, const Options& options) {
  return {queries.read("queries"), keys.read("keys"), options.values.read("values"), options.mask.read("mask")};
}

struct JsAdditiveOptions {
  MaybeTensor Ws, Wh, v, bias, values, mask;
};

constexpr auto fields_of(const JsAdditiveOptions*) {
  return std::tuple{Field{"Ws", &JsAdditiveOptions::Ws},         Field{"Wh", &JsAdditiveOptions::Wh},
                    Field{"v", &JsAdditiveOptions::v},           Field{"bias", &JsAdditiveOptions::bias},
                    Field{"values", &JsAdditiveOptions::values}, Field{"mask", &JsAdditiveOptions::mask}};
}

JsScored additive(Context& context, const JsTensor& queries, const JsTensor& keys,
                  const Partial<JsAdditiveOptions>& given) {
  const JsAdditiveOptions options = given.read();
  Arena arena;
  Workspace workspace{arena, context.threads};
  return to_js(additive_attention(
      score_arguments(queries, keys, options),
      {options.Ws.read("Ws"), options.Wh.read("Wh"), options.v.read("v"), options.bias.read("bias")}, workspace));
}

struct JsLuongOptions {
  LuongScore score = LuongScore::kDot;
  MaybeTensor W, v, values, mask, centers;
  float D = 0;
  bool gaussian = false;
};

constexpr auto fields_of(const JsLuongOptions*) {
  return std::tuple{Field{"score", &JsLuongOptions::score}, Field{"W", &JsLuongOptions::W},
                    Field{"v", &JsLuongOptions::v},         Field{"values", &JsLuongOptions::values},
                    Field{"mask", &JsLuongOptions::mask},   Field{"centers", &JsLuongOptions::centers},
                    Field{"D", &JsLuongOptions::D},         Field{"gaussian", &JsLuongOptions::gaussian}};
}

JsScored luong(Context& context, const JsTensor& queries, const JsTensor& keys, const Partial<JsLuongOptions>& given) {
  const JsLuongOptions options = given.read();
  Arena arena;
  Workspace workspace{arena, context.threads};
  return to_js(luong_attention(score_arguments(queries, keys, options),
                               {options.score, options.W.read("W"), options.v.read("v"),
                                options.centers.read("centers"), options.D, options.gaussian},
                               workspace));
}

JsTensor softmax_of(Context&, const JsTensor& given) {
  Tensor x = given.read("x");
  softmax(x.matrix(), x.matrix());
  return JsTensor(x);
}

struct JsNormOptions {
  MaybeTensor weight;
  MaybeTensor bias;
  float eps = NormConfig{}.eps;
};

constexpr auto fields_of(const JsNormOptions*) {
  return std::tuple{Field{"weight", &JsNormOptions::weight}, Field{"bias", &JsNormOptions::bias},
                    Field{"eps", &JsNormOptions::eps}};
}

JsTensor layer_norm_of(Context&, const JsTensor& x, const Partial<JsNormOptions>& given) {
  const JsNormOptions options = given.read();
  return JsTensor(layer_norm(x.read("x"), options.weight.read("weight"), options.bias.read("bias"), options.eps));
}

JsTensor rms_norm_of(Context&, const JsTensor& x, const Partial<JsNormOptions>& given) {
  const JsNormOptions options = given.read();
  return JsTensor(rms_norm(x.read("x"), options.weight.read("weight"), options.eps));
}

JsTensor matmul_of(Context& context, const JsTensor& a, const JsTensor& b) {
  return JsTensor(matmul(a.read("a"), b.read("b"), context.threads));
}

// The number of rows is the options' maxLength.
JsTensor positional_encoding(Context&, int d_model, const Partial<SinusoidalPositions>& options) {
  return JsTensor(sinusoidal_positions(d_model, options.read()));
}

// offset: the position of the first row
JsTensor rotary_embedding(Context&, const JsTensor& x, int offset, const Partial<RotaryPositions>& options) {
  return JsTensor(rotated(x.read("x"), offset, options.read()));
}

JsTensor alibi(Context&, int heads, int queries, int keys) { return JsTensor(alibi_bias(heads, queries, keys)); }

}  // namespace

EMSCRIPTEN_BINDINGS(attention_blocks) {
  emscripten::register_optional<float>();
  register_options<JsAttentionOptions>("AttentionOptions");
  register_struct<JsAttentionResult>("AttentionResult");
  register_struct<JsScored>("ScoredAttention");
  register_options<JsAdditiveOptions>("AdditiveOptions");
  register_enum<LuongScore>();
  register_options<JsLuongOptions>("LuongOptions");
  emscripten::function("scaledDotProductAttention", guarded<attention>);
  emscripten::function("additiveAttention", guarded<additive>);
  emscripten::function("luongAttention", guarded<luong>);
}

EMSCRIPTEN_BINDINGS(blocks) {
  register_options<JsNormOptions>("NormOptions");
  emscripten::function("softmax", guarded<softmax_of>);
  emscripten::function("layerNorm", guarded<layer_norm_of>);
  emscripten::function("rmsNorm", guarded<rms_norm_of>);
  emscripten::function("matmul", guarded<matmul_of>);
  emscripten::function("positionalEncoding", guarded<positional_encoding>);
  emscripten::function("rotaryEmbedding", guarded<rotary_embedding>);
  emscripten::function("alibiBias", guarded<alibi>);
}

}  // namespace transformer::bindings
