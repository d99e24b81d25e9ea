// Weights as JavaScript hands them over.
#include "context.h"
#include "guarded.h"
#include "kernels/gemm_int8.h"
#include "tensors.h"

TRANSFORMER_NAMED_ENUM(transformer::StoredType);

namespace transformer::bindings {

// How matrices are kept.
enum class Dtype { kF32, kInt8 };
constexpr auto enum_names(Dtype) { return std::to_array<Named<Dtype>>({{"f32", Dtype::kF32}, {"int8", Dtype::kInt8}}); }

}  // namespace transformer::bindings

TRANSFORMER_NAMED_ENUM(transformer::bindings::Dtype);

namespace transformer::bindings {

namespace {

std::optional<DotGroup> group_of(Dtype dtype) {
  return dtype == Dtype::kInt8 ? std::optional(int8_dot_group()) : std::nullopt;
}

// With a seed, what is missing is drawn from it.
std::shared_ptr<WeightsLoader> make_weights(Context&, Dtype dtype, std::optional<double> seed) {
  if (!seed) return std::make_shared<WeightsLoader>(Weights(group_of(dtype)));
  return std::make_shared<WeightsLoader>(Weights::random(static_cast<std::uint64_t>(*seed), group_of(dtype)));
}

void declare(WeightsLoader& weights, const std::string& name, const Shape& shape, StoredType type) {
  weights.declare(name, shape, type);
}

void scale(WeightsLoader& weights, const std::string& name, const JsFloats& values, double run) {
  weights.scale(name, {emscripten::convertJSArrayToNumberVector<float>(values), static_cast<std::size_t>(run)});
}

void write(WeightsLoader& weights, const std::string& name, double first, const JsBytes& bytes) {
  require(first >= 0, "a piece of the tensor '", name, "' begins at element ", first);
  weights.write(name, static_cast<std::size_t>(first), bytes.read());
}

void view(WeightsLoader& weights, const std::string& name, const Shape& shape, const std::string& from,
          const StridedView& layout) {
  weights.view(name, shape, from, layout);
}

void rename(WeightsLoader& weights, const std::string& from, const std::string& to) { weights.rename(from, to); }

void drop(WeightsLoader& weights, const std::string& name) { weights.drop(name); }

std::vector<std::string> names(WeightsLoader& weights) { return weights.names(); }

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
      .function("declare", guarded<declare>)
      .function("scale", guarded<scale>)
      .function("write", guarded<write>)
      .function("view", guarded<view>)
      .function("rename", guarded<rename>)
      .function("drop", guarded<drop>)
      .function("names", guarded<names>);
}

}  // namespace transformer::bindings
