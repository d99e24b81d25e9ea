#include "configs.h"

namespace transformer::bindings {

namespace {

template <auto Member, class Owner>
void nested(emscripten::value_object<Owner>& object, const char* name) {
  object.field(name, &Nested<Member>::get, &Nested<Member>::set);
}

// The TypeScript type of a variant: a union of its alternatives, each under its name. types: of each, in its order.
template <std::size_t Count, class... Alternatives>
std::string type_of(std::variant<Alternatives...>*, const char* const (&types)[Count]) {
  static_assert(Count == sizeof...(Alternatives), "a type for each alternative");
  std::string text;
  const char* const* type = types;
  ((text += concat(text.empty() ? "" : " | ", "{ ", Alternatives::kName, ": Partial<", *type++, "> }")), ...);
  return text;
}

}  // namespace

EMSCRIPTEN_BINDINGS(positions) {
  register_enum<SinusoidLayout>();
  register_enum<RotaryLayout>();
  emscripten::value_object<NoPositions>("NoPositions");
  emscripten::value_object<SinusoidalPositions>("SinusoidalPositions")
      .field("maxLength", &SinusoidalPositions::max_length)
      .field("layout", &SinusoidalPositions::layout)
      .field("offset", &SinusoidalPositions::offset)
      .field("base", &SinusoidalPositions::base);
  emscripten::value_object<LearnedPositions>("LearnedPositions").field("maxLength", &LearnedPositions::max_length);
  emscripten::value_object<RotaryPositions>("RotaryPositions")
      .field("maxLength", &RotaryPositions::max_length)
      .field("layout", &RotaryPositions::layout)
      .field("base", &RotaryPositions::base)
      .field("frequencies", &RotaryPositions::frequencies)
      .field("dynamicLength", &RotaryPositions::dynamic_length)
      .field("dynamicFactor", &RotaryPositions::dynamic_factor);
  emscripten::value_object<AlibiPositions>("AlibiPositions");
  emscripten::value_object<RelativePositions>("RelativePositions")
      .field("buckets", &RelativePositions::buckets)
      .field("maxDistance", &RelativePositions::max_distance)
      .field("perLayer", &RelativePositions::per_layer);
  emscripten::value_object<DisentangledPositions>("DisentangledPositions")
      .field("buckets", &DisentangledPositions::buckets)
      .field("maxDistance", &DisentangledPositions::max_distance)
      .field("span", &DisentangledPositions::span)
      .field("normEps", &DisentangledPositions::norm_eps)
      .field("contentToPosition", &DisentangledPositions::content_to_position)
      .field("positionToContent", &DisentangledPositions::position_to_content)
      .field("shareProjections", &DisentangledPositions::share_projections);
  emscripten::register_type<std::vector<double>>("number[]");
  static const std::string type = type_of(static_cast<Positions*>(nullptr),
                                          {"NoPositions", "SinusoidalPositions", "LearnedPositions", "RotaryPositions",
                                           "AlibiPositions", "RelativePositions", "DisentangledPositions"});
  emscripten::register_type<Positions>(type.c_str());
}

EMSCRIPTEN_BINDINGS(layer_configs) {
  register_enum<Activation>();
  register_enum<NormKind>();
  register_enum<NormPlace>();
  emscripten::value_object<NormConfig>("NormConfig")
      .field("kind", &NormConfig::kind)
      .field("eps", &NormConfig::eps)
      .field("bias", &NormConfig::bias);
  emscripten::value_object<AttentionConfig>("AttentionConfig")
      .field("dModel", &AttentionConfig::d_model)
      .field("kDim", &AttentionConfig::d_key)
      .field("vDim", &AttentionConfig::d_value)
      .field("numHeads", &AttentionConfig::num_heads)
      .field("numKvHeads", &AttentionConfig::num_kv_heads)
      .field("dHead", &AttentionConfig::d_head)
      .field("bias", &AttentionConfig::bias)
      .field("unbiased", &AttentionConfig::unbiased)
      .field("scale", &AttentionConfig::scale)
      .field("biasKv", &AttentionConfig::bias_kv)
      .field("zeroAttention", &AttentionConfig::zero_attention);
  emscripten::value_object<FeedForwardConfig>("FeedForwardConfig")
      .field("dModel", &FeedForwardConfig::d_model)
      .field("dFf", &FeedForwardConfig::d_ff)
      .field("activation", &FeedForwardConfig::activation)
      .field("gated", &FeedForwardConfig::gated)
      .field("bias", &FeedForwardConfig::bias);
  register_partial<NormConfig>("NormConfig");
  register_partial<AttentionConfig>("AttentionConfig");
  register_partial<FeedForwardConfig>("FeedForwardConfig");
  emscripten::value_object<LayerConfig> layer("LayerConfig");
  layer.field("dModel", &LayerConfig::d_model).field("normPlace", &LayerConfig::norm_place);
  nested<&LayerConfig::attention>(layer, "attention");
  nested<&LayerConfig::feed_forward>(layer, "feedForward");
  nested<&LayerConfig::norm>(layer, "norm");
  register_partial<LayerConfig>("LayerConfig");
}

EMSCRIPTEN_BINDINGS(model_config) {
  emscripten::value_object<StackConfig> stack("StackConfig");
  stack.field("numLayers", &StackConfig::num_layers)
      .field("positions", &StackConfig::positions)
      .field("vocab", &StackConfig::vocab)
      .field("tokenTypes", &StackConfig::token_types)
      .field("inputPositions", &StackConfig::input_positions)
      .field("embeddingNorm", &StackConfig::embedding_norm)
      .field("normBeforePositions", &StackConfig::norm_before_positions)
      .field("embeddingWidth", &StackConfig::embedding_width)
      .field("layerGroups", &StackConfig::layer_groups)
      .field("windows", &StackConfig::windows)
      .field("norm", &StackConfig::norm);
  nested<&StackConfig::layer>(stack, "layer");
  register_partial<StackConfig>("StackConfig");

  emscripten::value_object<HeadStep> step("HeadStep");
  step.field("name", &HeadStep::name)
      .field("outFeatures", &HeadStep::out_features)
      .field("bias", &HeadStep::bias)
      .field("activation", &HeadStep::activation);
  nested<&HeadStep::norm>(step, "norm");
  register_partial<HeadStep>("HeadStep");
  emscripten::register_type<std::vector<Partial<HeadStep>>>("Partial<HeadStep>[]");
  emscripten::value_object<HeadConfig>("HeadConfig")
      .field("steps", &NestedList<&HeadConfig::steps>::get, &NestedList<&HeadConfig::steps>::set)
      .field("firstOnly", &HeadConfig::first_only)
      .field("lastId", &HeadConfig::last_id);
  register_partial<HeadConfig>("HeadConfig");

  emscripten::value_object<ProjectionConfig>("ProjectionConfig")
      .field("vocab", &ProjectionConfig::vocab)
      .field("bias", &ProjectionConfig::bias)
      .field("tied", &ProjectionConfig::tied)
      .field("scale", &ProjectionConfig::scale);
  register_partial<ProjectionConfig>("ProjectionConfig");

  emscripten::value_object<TransformerConfig> model("TransformerConfig");
  model.field("shareEmbeddings", &TransformerConfig::share_embeddings)
      .field("memoryProjection", &TransformerConfig::memory_projection)
      .field("embeddingScale", &TransformerConfig::embedding_scale);
  nested<&TransformerConfig::encoder>(model, "encoder");
  nested<&TransformerConfig::decoder>(model, "decoder");
  nested<&TransformerConfig::pooler>(model, "pooler");
  nested<&TransformerConfig::head>(model, "head");
  nested<&TransformerConfig::projection>(model, "projection");
  register_partial<TransformerConfig>("TransformerConfig");
}

}  // namespace transformer::bindings
