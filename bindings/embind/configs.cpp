#include "configs.h"

namespace transformer::bindings {

namespace {

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
  register_struct<NoPositions>("NoPositions");
  register_options<SinusoidalPositions>("SinusoidalPositions");
  register_struct<LearnedPositions>("LearnedPositions");
  register_options<RotaryPositions>("RotaryPositions");
  register_struct<AlibiPositions>("AlibiPositions");
  register_struct<RelativePositions>("RelativePositions");
  register_struct<DisentangledPositions>("DisentangledPositions");
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
  register_enum<QueryKeyNorm>();
  register_options<NormConfig>("NormConfig");
  register_options<AttentionConfig>("AttentionConfig");
  register_options<FeedForwardConfig>("FeedForwardConfig");
  register_options<LayerConfig>("LayerConfig");
}

EMSCRIPTEN_BINDINGS(model_config) {
  register_options<StackConfig>("StackConfig");

  register_enum<HeadInput>();
  register_options<HeadStep>("HeadStep");
  emscripten::register_type<std::vector<Partial<HeadStep>>>("Partial<HeadStep>[]");
  register_options<HeadConfig>("HeadConfig");

  register_enum<PictureSizes>();
  register_struct<NoFrontEnd>("NoFrontEnd");
  register_options<ConvolutionConfig>("ConvolutionConfig");
  emscripten::register_type<std::vector<Partial<ConvolutionConfig>>>("Partial<ConvolutionConfig>[]");
  register_options<FramesConfig>("FramesConfig");
  register_options<PrefixVectors>("PrefixVectors");
  emscripten::register_type<std::vector<Partial<PrefixVectors>>>("Partial<PrefixVectors>[]");
  register_options<GridPositionsConfig>("GridPositionsConfig");
  register_options<PatchesConfig>("PatchesConfig");
  static const std::string front =
      type_of(static_cast<FrontEndConfig*>(nullptr), {"NoFrontEnd", "FramesConfig", "PatchesConfig"});
  emscripten::register_type<FrontEndConfig>(front.c_str());

  register_options<AttentionPoolConfig>("AttentionPoolConfig");
  register_options<ContrastConfig>("ContrastConfig");
  register_options<ProjectionConfig>("ProjectionConfig");

  register_options<TransformerConfig>("TransformerConfig");
}

}  // namespace transformer::bindings
