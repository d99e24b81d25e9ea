// What JavaScript can call: names, and errors on their way out. Nothing is computed here.
#include <emscripten/bind.h>

#include <new>
#include <optional>

#include "blocks.h"
#include "generation.h"
#include "layers.h"
#include "profile.h"

namespace transformer::bindings {

namespace {

[[noreturn]] void throw_to_js(ErrorCode code, const std::string& message) {
  val error = val::global("Error").new_(message);
  error.set("code", std::string(name_of(code)));
  error.throw_();
}

// Runs `f`; what it throws becomes a JavaScript Error with one of our codes. The C++ exception is gone before the
// JavaScript one begins, so that its memory is given back.
template <class F>
auto translate_errors(const F& f) {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  try {
    return f();
  } catch (const Error& error) {
    code = error.code();
    message = error.what();
  } catch (const std::bad_alloc&) {
    code = ErrorCode::kOutOfMemory;
    message = "there is not enough memory for this; the engine goes on without it";
  } catch (const std::exception& error) {
    message = error.what();
  }
  throw_to_js(code, message);
}

// guarded<f> is f with errors translated.
template <auto Function>
struct Guarded;

template <class Result, class... Args, Result (*Function)(Args...)>
struct Guarded<Function> {
  static Result call(Args... args) {
    return translate_errors([&]() -> Result { return Function(std::forward<Args>(args)...); });
  }
};

template <class Result, class Class, class... Args, Result (Class::*Function)(Args...)>
struct Guarded<Function> {
  static Result call(Class& self, Args... args) {
    return translate_errors([&]() -> Result { return (self.*Function)(std::forward<Args>(args)...); });
  }
};

template <auto Function>
constexpr auto guarded = &Guarded<Function>::call;

std::shared_ptr<WeightsInput> make_weights(const std::string& dtype) {
  return std::make_shared<WeightsInput>(Weights(matrix_group(dtype)));
}
std::shared_ptr<WeightsInput> make_random_weights(double seed, const std::string& dtype) {
  return std::make_shared<WeightsInput>(Weights::random(static_cast<std::uint64_t>(seed), matrix_group(dtype)));
}

template <class T>
double parameter_count(const T& layer) {
  return static_cast<double>(layer.parameter_count);
}

double weight_bytes(const ResidentTransformer& transformer) { return static_cast<double>(transformer.weight_bytes); }

}  // namespace

EMSCRIPTEN_BINDINGS(transformer) {
  using emscripten::class_;

  class_<Context>("Context")
      .smart_ptr_constructor("Context", guarded<make_context>)
      .function("heapBytes", &heap_bytes)
      .function("memoryBytes", &memory_bytes)
      .function("machineLimits", guarded<machine_limits>)
      .function("activationBits", &activation_bits)
      .function("scaledDotProductAttention", guarded<scaled_dot_product_attention>)
      .function("additiveAttention", guarded<additive_attention>)
      .function("luongAttention", guarded<luong_attention>)
      .function("softmax", guarded<softmax_of>)
      .function("layerNorm", guarded<layer_norm_of>)
      .function("rmsNorm", guarded<rms_norm_of>)
      .function("matmul", guarded<matmul>)
      .function("positionalEncoding", guarded<positional_encoding>)
      .function("rotaryEmbedding", guarded<rotary_embedding>)
      .function("alibiBias", guarded<alibi>)
      .function("linear", guarded<make_linear>)
      .function("feedForward", guarded<make_feed_forward>)
      .function("multiHeadAttention", guarded<make_attention>)
      .function("encoderLayer", guarded<make_encoder_layer>)
      .function("decoderLayer", guarded<make_decoder_layer>)
      .function("transformer", guarded<make_transformer>);

  class_<WeightsInput>("Weights")
      .smart_ptr_constructor("Weights", guarded<make_weights>)
      .class_function("random", guarded<make_random_weights>)
      .function("declare", guarded<&WeightsInput::declare>)
      .function("scale", guarded<&WeightsInput::scale>)
      .function("write", guarded<&WeightsInput::write>)
      .function("view", guarded<&WeightsInput::view>)
      .function("rename", guarded<&WeightsInput::rename>)
      .function("drop", guarded<&WeightsInput::drop>)
      .function("names", &WeightsInput::names);

  class_<ResidentLinear>("Linear")
      .smart_ptr<std::shared_ptr<ResidentLinear>>("Linear")
      .function("forward", guarded<forward_linear>)
      .function("parameterCount", &parameter_count<ResidentLinear>);
  class_<ResidentFeedForward>("FeedForward")
      .smart_ptr<std::shared_ptr<ResidentFeedForward>>("FeedForward")
      .function("forward", guarded<forward_feed_forward>)
      .function("parameterCount", &parameter_count<ResidentFeedForward>);
  class_<ResidentAttention>("MultiHeadAttention")
      .smart_ptr<std::shared_ptr<ResidentAttention>>("MultiHeadAttention")
      .function("forward", guarded<forward_attention>)
      .function("parameterCount", &parameter_count<ResidentAttention>);
  class_<ResidentEncoderLayer>("EncoderLayer")
      .smart_ptr<std::shared_ptr<ResidentEncoderLayer>>("EncoderLayer")
      .function("forward", guarded<forward_encoder_layer>)
      .function("parameterCount", &parameter_count<ResidentEncoderLayer>);
  class_<ResidentDecoderLayer>("DecoderLayer")
      .smart_ptr<std::shared_ptr<ResidentDecoderLayer>>("DecoderLayer")
      .function("forward", guarded<forward_decoder_layer>)
      .function("parameterCount", &parameter_count<ResidentDecoderLayer>);

  class_<ResidentTransformer>("Transformer")
      .smart_ptr<std::shared_ptr<ResidentTransformer>>("Transformer")
      .function("encode", guarded<encode>)
      .function("decode", guarded<decode>)
      .function("forward", guarded<forward>)
      .function("generate", guarded<generate>)
      .function("weightBytes", &weight_bytes)
      .function("parameterCount", &parameter_count<ResidentTransformer>);

  class_<Generation>("Generation")
      .smart_ptr<std::shared_ptr<Generation>>("Generation")
      .function("advance", guarded<advance>)
      .function("results", guarded<results>)
      .function("profile", guarded<profile_of>);
}

}  // namespace transformer::bindings
