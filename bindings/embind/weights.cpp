// The loader of weights, which JavaScript feeds with the bytes of a checkpoint, and their quantisation for a file.
#include "context.h"
#include "guarded.h"
#include "tensors.h"
#include "weights/quantization.h"

TRANSFORMER_NAMED_ENUM(transformer::StoredType);
TRANSFORMER_NAMED_ENUM(transformer::PackedKind);
TRANSFORMER_NAMED_ENUM(transformer::Dtype);
TRANSFORMER_NAMED_ENUM(transformer::MatrixPurpose);

namespace transformer::bindings {

namespace {

// seed: initialises missing tensors at random.
std::shared_ptr<WeightsLoader> make_weights(Context&, Dtype dtype, std::optional<double> seed) {
  return std::make_shared<WeightsLoader>(seed ? Weights::random(static_cast<std::uint64_t>(*seed), dtype)
                                              : Weights(dtype));
}

void scale(WeightsLoader& weights, const std::string& name, const JsFloats& values, double run) {
  weights.scale(name, {emscripten::convertJSArrayToNumberVector<float>(values), static_cast<std::size_t>(run)});
}

void fix_scales(WeightsLoader& weights, const std::string& name, double of_weights, double of_activations) {
  weights.fix_scales(name, {static_cast<float>(of_weights), static_cast<float>(of_activations)});
}

void write(WeightsLoader& weights, const std::string& name, double first, const JsBytes& bytes) {
  require(first >= 0, "element ", first, " of the tensor '", name, "' does not exist");
  weights.write(name, static_cast<std::size_t>(first), bytes.read());
}

// The numbers of a tensor that is no matrix, or a table.
JsTensor take(WeightsLoader& weights, const std::string& name, const Shape& shape) {
  return JsTensor(weights.complete().take(name, shape));
}

// Integers and scales as a file keeps them; see QuantizedMatrix.
struct JsQuantized {
  JsBytes integers;
  JsBytes scales;
  bool finite;
  QuantizationError error;
};

constexpr auto fields_of(const JsQuantized*) {
  return std::tuple{Field{"integers", &JsQuantized::integers}, Field{"scales", &JsQuantized::scales},
                    Field{"finite", &JsQuantized::finite}, Field{"error", &JsQuantized::error}};
}

// How rows are stored, and what they are to become.
struct JsRowsToQuantize {
  StoredType stored;
  int columns;
  Dtype dtype;
  MatrixPurpose purpose;
};

constexpr auto fields_of(const JsRowsToQuantize*) {
  return std::tuple{Field{"stored", &JsRowsToQuantize::stored}, Field{"columns", &JsRowsToQuantize::columns},
                    Field{"dtype", &JsRowsToQuantize::dtype}, Field{"purpose", &JsRowsToQuantize::purpose}};
}

JsQuantized quantize_rows(Context&, const JsBytes& bytes, const JsRowsToQuantize& wanted) {
  const auto rows = quantize(bytes.read(), wanted.stored, wanted.columns, wanted.dtype, wanted.purpose);
  return {JsBytes(rows.numbers.integers), JsBytes(rows.numbers.scales), rows.finite, rows.error};
}

// The dtype in which a matrix is kept.
Dtype kept_dtype(Context&, Dtype dtype, MatrixPurpose purpose) { return dtype_of(dtype, purpose); }

int bits_of_activations(Context&, Dtype dtype) { return activation_bits(dtype); }

}  // namespace

EMSCRIPTEN_BINDINGS(weights) {
  emscripten::register_optional<double>();
  register_enum<StoredType>();
  register_enum<PackedKind>();
  register_enum<Dtype>();
  register_enum<MatrixPurpose>();
  register_struct<StridedView>("StridedView");
  register_struct<PackedLayout>("PackedLayout");
  register_struct<QuantizationError>("QuantizationError");
  register_struct<JsQuantized>("QuantizedRows");
  register_struct<JsRowsToQuantize>("RowsToQuantize");
  emscripten::function("quantizeRows", guarded<quantize_rows>);
  emscripten::function("dtypeOf", &kept_dtype);
  emscripten::function("activationBits", &bits_of_activations);
  emscripten::class_<WeightsLoader>("Weights")
      .smart_ptr_constructor("Weights", guarded<make_weights>)
      .function("declare", guarded<&WeightsLoader::declare>)
      .function("scale", guarded<scale>)
      .function("fixScales", guarded<fix_scales>)
      .function("add", guarded<&WeightsLoader::add>)
      .function("pairRows", guarded<&WeightsLoader::pair_rows>)
      .function("write", guarded<write>)
      .function("hold", guarded<&WeightsLoader::hold>)
      .function("unpack", guarded<&WeightsLoader::unpack>)
      .function("take", guarded<take>)
      .function("view", guarded<&WeightsLoader::view>)
      .function("drop", guarded<&WeightsLoader::drop>)
      .function("outline", guarded<&WeightsLoader::outline>)
      .function("problems", guarded<&WeightsLoader::problems>)
      .function("names", guarded<&WeightsLoader::names>);
}

}  // namespace transformer::bindings
