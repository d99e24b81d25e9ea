// Sound and pictures as the models read them.
#include "guarded.h"
#include "signal/log_mel.h"
#include "signal/pixel_values.h"
#include "signal/resampler.h"
#include "tensors.h"

TRANSFORMER_NAMED_ENUM(transformer::Resample);

namespace transformer::bindings {

namespace {

// A piece of a recording, and its place there.
struct JsAudioSlice {
  JsFloats samples;
  double begin;
};

constexpr auto fields_of(const JsAudioSlice*) {
  return std::tuple{Field{"samples", &JsAudioSlice::samples}, Field{"begin", &JsAudioSlice::begin}};
}

// The samples in C++'s memory.
struct OwnedSlice {
  explicit OwnedSlice(const JsAudioSlice& given)
      : samples(emscripten::convertJSArrayToNumberVector<float>(given.samples)),
        view{samples, static_cast<std::int64_t>(given.begin)} {}

  std::vector<float> samples;
  AudioSlice view;
};

std::shared_ptr<LogMel> make_log_mel(const Partial<LogMelConfig>& config) {
  return std::make_shared<LogMel>(config.read());
}

struct Frames {
  double first;
  int count;
  double length;  // of the recording, in samples
};

constexpr auto fields_of(const Frames*) {
  return std::tuple{Field{"first", &Frames::first}, Field{"count", &Frames::count}, Field{"length", &Frames::length}};
}

JsTensor mel_frames(LogMel& mel, const JsAudioSlice& given, const Frames& frames) {
  const OwnedSlice slice(given);
  Tensor out({frames.count, mel.bands()});
  mel.forward(slice.view, static_cast<std::int64_t>(frames.length), static_cast<std::int64_t>(frames.first),
              out.matrix());
  return JsTensor(out);
}

JsTensor clamped(const JsTensor& given, float maximum) {
  Tensor features = given.read("features");
  clamp_log_mel(maximum, {features.data(), features.size()});
  return JsTensor(features);
}

std::shared_ptr<Resampler> make_resampler(double from, double to) { return std::make_shared<Resampler>(from, to); }

double resampled_length(Resampler& resampler, double length) {
  return static_cast<double>(resampler.length(static_cast<std::int64_t>(length)));
}

int reach(Resampler& resampler) { return resampler.reach(); }

JsFloats resample(Resampler& resampler, const JsAudioSlice& given, double first, int count) {
  const OwnedSlice slice(given);
  std::vector<float> out(static_cast<std::size_t>(count));
  resampler.forward(slice.view, static_cast<std::int64_t>(first), out);
  return JsFloats(out);
}

struct JsImage {
  JsBytes data = JsBytes(val::undefined());
  int rows = 0;
  int columns = 0;
  int channels = 0;
};

constexpr auto fields_of(const JsImage*) {
  return std::tuple{Field{"data", &JsImage::data}, Field{"rows", &JsImage::rows}, Field{"columns", &JsImage::columns},
                    Field{"channels", &JsImage::channels}};
}

JsTensor read_pixels(const JsImage& given, const Partial<PixelPlan>& plan) {
  Image image = make_image(given.rows, given.columns, given.channels);
  const OwnedBytes bytes = given.data.read();
  require(bytes.size == image.bytes.size(), "a picture of ", given.rows, " rows, ", given.columns, " columns and ",
          given.channels, " channels has ", image.bytes.size(), " bytes, got ", bytes.size);
  std::copy_n(bytes.data.get(), bytes.size, image.bytes.data());
  return JsTensor(pixel_values(std::move(image), plan.read()));
}

}  // namespace

EMSCRIPTEN_BINDINGS(signal) {
  register_struct<JsAudioSlice>("AudioSlice");
  register_options<LogMelConfig>("LogMelConfig");
  register_struct<Frames>("Frames");
  emscripten::class_<LogMel>("LogMel")
      .smart_ptr_constructor("LogMel", guarded<make_log_mel>)
      .function("forward", guarded<mel_frames>);
  emscripten::function("clampLogMel", guarded<clamped>);
  emscripten::class_<Resampler>("Resampler")
      .smart_ptr_constructor("Resampler", guarded<make_resampler>)
      .function("length", guarded<resampled_length>)
      .function("reach", guarded<reach>)
      .function("forward", guarded<resample>);

  register_enum<Resample>();
  emscripten::register_type<std::vector<float>>("number[]");
  register_struct<JsImage>("RawImage");
  register_options<ImageSize>("ImageSize");
  register_options<PixelPlan>("PixelPlan");
  emscripten::function("pixelValues", guarded<read_pixels>);
}

}  // namespace transformer::bindings
