// The loader of weights, which JavaScript feeds with the bytes of a checkpoint.
#include "context.h"
#include "guarded.h"
#include "kernels/gemm_int8.h"
#include "tensors.h"

TRANSFORMER_NAMED_ENUM(transformer::StoredType);

namespace transformer::bindings {

// The format in which matrices are kept. kAuto: in 16 bits if they are stored so, else in float32.
enum class Dtype { kAuto, kF32, kInt8, kInt4 };
constexpr auto enum_names(Dtype) {
  return std::to_array<Named<Dtype>>(
      {{"auto", Dtype::kAuto}, {"f32", Dtype::kF32}, {"int8", Dtype::kInt8}, {"int4", Dtype::kInt4}});
}

}  // namespace transformer::bindings

TRANSFORMER_NAMED_ENUM(transformer::bindings::Dtype);

namespace transformer::bindings {

namespace {

// seed: initialises missing tensors at random.
std::shared_ptr<WeightsLoader> make_weights(Context&, Dtype dtype, std::optional<double> seed) {
  const bool is_quantized = dtype == Dtype::kInt8 || dtype == Dtype::kInt4;
  const std::optional<DotGroup> group = is_quantized ? std::optional(int8_dot_group()) : std::nullopt;
  const QuantizedBits bits = dtype == Dtype::kInt4 ? QuantizedBits::k4 : QuantizedBits::k8;
  if (!seed) return std::make_shared<WeightsLoader>(Weights(group, bits), dtype == Dtype::kAuto);
  return std::make_shared<WeightsLoader>(Weights::random(static_cast<std::uint64_t>(*seed), group, bits));
}

void scale(WeightsLoader& weights, const std::string& name, const JsFloats& values, double run) {
  weights.scale(name, {emscripten::convertJSArrayToNumberVector<float>(values), static_cast<std::size_t>(run)});
}

void write(WeightsLoader& weights, const std::string& name, double first, const JsBytes& bytes) {
  require(first >= 0, "element ", first, " of the tensor '", name, "' does not exist");
  weights.write(name, static_cast<std::size_t>(first), bytes.read());
}

}  // namespace

EMSCRIPTEN_BINDINGS(weights) {
  emscripten::register_optional<double>();
  register_enum<StoredType>();
  register_enum<Dtype>();
  emscripten::value_object<StridedView>("StridedView")
      .field("dims", &StridedView::dims)
      .field("strides", &StridedView::strides)
      .field("offset", &StridedView::offset);
  emscripten::class_<WeightsLoader>("Weights")
      .smart_ptr_constructor("Weights", guarded<make_weights>)
      .function("declare", guarded<&WeightsLoader::declare>)
      .function("scale", guarded<scale>)
      .function("write", guarded<write>)
      .function("view", guarded<&WeightsLoader::view>)
      .function("rename", guarded<&WeightsLoader::rename>)
      .function("drop", guarded<&WeightsLoader::drop>)
      .function("names", guarded<&WeightsLoader::names>);
}

}  // namespace transformer::bindings
