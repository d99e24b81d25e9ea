// src/signal: log-mel features, resampling and pictures, against Python's results and naive twins.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "base/random.h"
#include "signal/log_mel.h"
#include "signal/pixel_values.h"
#include "signal/resampler.h"
#include "support/errors.h"
#include "support/fixture.h"

namespace transformer {
namespace {

using namespace testing;

constexpr double kPi = std::numbers::pi;

std::vector<float> sine(double hz, double rate, int length) {
  std::vector<float> samples;
  for (int i = 0; i < length; ++i) samples.push_back(static_cast<float>(std::sin(2 * kPi * hz * i / rate)));
  return samples;
}

TEST(RealFourierTest, IsTheSumOfItsDefinition) {
  Random random(3);
  for (int length : {2, 4, 6, 10, 14, 48, 200, 400, 512, 22 * 13}) {
    RealFourier fourier(length);
    std::vector<double> samples, power(static_cast<std::size_t>(fourier.bins()));
    for (int t = 0; t < length; ++t) samples.push_back(2 * random.uniform() - 1);
    fourier.power(samples, power);
    for (int k = 0; k <= length / 2; ++k) {
      std::complex<double> sum = 0;
      for (int t = 0; t < length; ++t) sum += samples[t] * std::polar(1.0, -2 * kPi * k * t / length);
      EXPECT_NEAR(power[k], std::norm(sum), 1e-9 * length) << length << " bin " << k;
    }
  }
  EXPECT_EQ(code_of([] { RealFourier(5); }), ErrorCode::kInvalidArgument);
}

// The features [bands] of one frame of a clip, as a model sees them.
std::vector<float> features_of(const std::vector<float>& clip, int bands) {
  LogMel mel({.bands = bands});
  Tensor out({static_cast<int>(clip.size()) / 160, bands});
  mel.forward({clip, 0}, static_cast<std::int64_t>(clip.size()), 0, out.matrix());
  const std::span<float> all(out.data(), out.size());
  clamp_log_mel(*std::max_element(all.begin(), all.end()), all);
  return {all.begin(), all.end()};
}

TEST(LogMelTest, IsPythonsFeatures) {
  const Fixture fixture("whisper_mel", "speech");
  for (const std::string name : {"chirp", "speech"}) {
    std::vector<float> clip(480000);
    const auto& stored = fixture.stored("samples." + name);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      std::int16_t sample = 0;
      std::memcpy(&sample, stored.bytes.data() + 2 * i, 2);
      clip[i] = sample / 32768.0f;
    }
    for (int bands : {80, 128}) {
      const std::string call = name + "." + std::to_string(bands);
      const std::vector<float> features = features_of(clip, bands);
      const std::vector<double> frames = fixture.numbers("frames." + call);
      const std::vector<double> expected = fixture.numbers("values." + call);
      for (std::size_t i = 0; i < frames.size(); ++i) {
        for (int band = 0; band < bands; ++band) {
          const auto frame = static_cast<std::size_t>(frames[i]);
          ASSERT_NEAR(features[frame * bands + band], expected[band * frames.size() + i], 1e-4)
              << call << " frame " << frame << " band " << band;
        }
      }
    }
  }
}

TEST(LogMelTest, SilenceIsTheSameEverywhere) {
  for (float feature : features_of(std::vector<float>(16000), 80)) EXPECT_EQ(feature, -1.5f);
}

TEST(LogMelTest, SameBitsFromSlices) {
  Random random(5);
  std::vector<float> clip;
  for (int i = 0; i < 8000; ++i) clip.push_back(static_cast<float>(random.uniform() - 0.5));
  LogMel mel({});
  Tensor whole({50, 80}), part({3, 80});
  mel.forward({clip, 0}, 8000, 0, whole.matrix());
  for (int first = 0; first + 3 <= 50; ++first) {
    const int begin = std::max(0, std::min(first * 160 - 200, 7600)), end = std::min(8000, (first + 3) * 160 + 200);
    const std::span<const float> slice(clip.data() + begin, static_cast<std::size_t>(end - begin));
    mel.forward({slice, begin}, 8000, first, part.matrix());
    for (int i = 0; i < 3 * 80; ++i) ASSERT_EQ(part.data()[i], whole.data()[first * 80 + i]) << first;
  }
}

TEST(LogMelTest, RefusesSamplesThatAreNotNumbers) {
  std::vector<float> clip(1600);
  clip[42] = std::nanf("");
  LogMel mel({});
  Tensor out({10, 80});
  EXPECT_EQ(message_of([&] { mel.forward({clip, 0}, 1600, 0, out.matrix()); }),
            "sample 42 of the audio is not a finite number");
  EXPECT_EQ(code_of([] { LogMel({.bands = 0}); }), ErrorCode::kInvalidArgument);
}

TEST(ResamplerTest, KeepsTonesBelowHalfTheLowerRate) {
  for (double rate : {8000.0, 11025.0, 22050.0, 44100.0, 48000.0}) {
    const Resampler resampler(rate, 16000);
    const int length = static_cast<int>(rate);
    for (double hz : {50.0, 440.0, 3400.0}) {
      std::vector<float> out(static_cast<std::size_t>(resampler.length(length)));
      resampler.forward({sine(hz, rate, length), 0}, 0, out);
      ASSERT_EQ(out.size(), 16000u) << rate;
      const std::vector<float> expected = sine(hz, 16000, 16000);
      for (int i = 1000; i < 15000; ++i) ASSERT_NEAR(out[i], expected[i], 3e-4) << rate << " " << hz << " " << i;
    }
  }
}

TEST(ResamplerTest, RemovesTonesThatTheLowerRateCannotHold) {
  const Resampler resampler(48000, 16000);
  for (double hz : {8600.0, 12000.0, 20000.0}) {
    std::vector<float> out(16000);
    resampler.forward({sine(hz, 48000, 48000), 0}, 0, out);
    for (int i = 1000; i < 15000; ++i) ASSERT_NEAR(out[i], 0, 3e-4) << hz;
  }
}

TEST(ResamplerTest, SameBitsFromSlices) {
  const std::vector<float> in = sine(300, 44100, 44100);
  const Resampler resampler(44100, 16000);
  std::vector<float> whole(16000), part(100);
  resampler.forward({in, 0}, 0, whole);
  for (int first : {0, 77, 8000, 15900}) {
    const int begin = std::max(0, static_cast<int>(first * 2.75625) - resampler.reach());
    const int end = std::min(44100, static_cast<int>((first + 100) * 2.75625) + resampler.reach() + 2);
    resampler.forward({std::span(in).subspan(begin, end - begin), begin}, first, part);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(part[i], whole[first + i]);
  }
  EXPECT_EQ(code_of([] { Resampler(0, 16000); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { Resampler(std::nan(""), 16000); }), ErrorCode::kInvalidArgument);
}

Image image_of(const StoredTensor& stored) {
  Image image = make_image(stored.shape[0], stored.shape[1], stored.shape[2]);
  std::memcpy(image.bytes.data(), stored.bytes.data(), image.bytes.size());
  return image;
}

PixelPlan plan_of(const nlohmann::json& config, const Image& image) {
  PixelPlan plan;
  const auto size_of = [&](const nlohmann::json& size) -> ImageSize {
    if (size.contains("height")) return {size["height"], size["width"]};
    const int edge = size["shortest_edge"], shorter = std::min(image.rows, image.columns);
    return {edge * image.rows / shorter, edge * image.columns / shorter};
  };
  if (config["do_resize"]) plan.size = size_of(config["size"]);
  plan.resample = static_cast<Resample>(config["resample"].get<int>());
  if (config.value("do_center_crop", false)) plan.crop = size_of(config["crop_size"]);
  if (config["do_rescale"]) plan.rescale = config["rescale_factor"];
  if (config["do_normalize"]) {
    plan.mean = config["image_mean"].get<std::vector<float>>();
    plan.deviation = config["image_std"].get<std::vector<float>>();
  }
  return plan;
}

TEST(ImageTest, IsPythonsPixels) {
  const Fixture fixture("image_processing", "pictures");
  int compared = 0;
  const nlohmann::json about = fixture.json("expected.json");
  for (const auto& call : about["calls"]) {
    const std::string processor = call["processor"], name = call["image"];
    const std::string key = processor + "." + name;
    const Image image = image_of(fixture.stored("image." + name));
    const PixelPlan plan = plan_of(fixture.json("preprocessor_config." + processor + ".json"), image);
    if (fixture.has("resized." + key)) {
      const Image resized = resize(to_rgb(image), plan.size.rows, plan.size.columns, plan.resample);
      const Image expected = image_of(fixture.stored("resized." + key));
      ASSERT_EQ(resized.rows, expected.rows) << key;
      EXPECT_EQ(resized.bytes, expected.bytes) << key;
      ++compared;
    }
    const Tensor values = pixel_values(image, plan);
    const StoredTensor& expected = fixture.stored("pixel_values." + key);
    ASSERT_EQ(values.shape(), expected.shape) << key;
    expect_near(values.data(), expected.numbers(), 1e-5, key);
  }
  EXPECT_GT(compared, 10);
}

TEST(ImageTest, ColoursBecomePillowsGray) {
  Image image = make_image(1, 5, 3);
  image.bytes = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 200, 90, 255, 255, 255};
  // PIL.Image.fromarray(colours).convert('L')
  EXPECT_EQ(to_gray(image).bytes, (std::vector<std::uint8_t>{76, 150, 29, 131, 255}));
  const Tensor values = pixel_values(image, {.gray = true});
  EXPECT_EQ(values.shape(), (Shape{1, 1, 5}));
  EXPECT_EQ(values.data()[1], 150);
}

TEST(ImageTest, EndsAsPatchesByRowsColumnsAndChannels) {
  Image image = make_image(2, 5, 3);
  for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = static_cast<std::uint8_t>(i);
  const Tensor patches = pixel_values(image, {.patch = 2});
  ASSERT_EQ(patches.shape(), (Shape{1, 2, 12}));  // the last column fills no patch
  const std::vector<float> second = {6, 7, 8, 9, 10, 11, 21, 22, 23, 24, 25, 26};
  EXPECT_EQ(std::vector<float>(patches.data() + 12, patches.data() + 24), second);
}

TEST(ImageTest, IsResizedAsFloats) {
  Image image = make_image(1, 4, 1);
  image.bytes = {0, 1, 2, 3};
  const PixelPlan plan = {.size = {1, 2}, .rescale = 0.5f, .mean = {1, 1, 1}, .floats = true};
  const Tensor values = pixel_values(image, plan);
  EXPECT_NEAR(values.data()[0], 5.0 / 14 - 1, 1e-6);
  EXPECT_NEAR(values.data()[1], 16.0 / 14 - 1, 1e-6);
  PixelPlan other = plan;
  other.resample = Resample::kLanczos;
  EXPECT_EQ(code_of([&] { pixel_values(image, other); }), ErrorCode::kUnsupported);
}

TEST(ImageTest, TakesAnySize) {
  Random random(8);
  for (int rows : {1, 2, 7}) {
    for (int columns : {1, 3, 40}) {
      Image image = make_image(rows, columns, 3);
      for (std::uint8_t& byte : image.bytes) byte = 201;
      for (int kind = 0; kind < 6; ++kind) {
        const Image resized = resize(image, 5, 4, static_cast<Resample>(kind));
        for (std::uint8_t byte : resized.bytes) ASSERT_EQ(byte, 201) << rows << " " << columns << " " << kind;
      }
    }
  }
}

TEST(ImageTest, RefusesWhatIsNoPicture) {
  EXPECT_EQ(code_of([] { make_image(0, 5, 3); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { make_image(1 << 20, 1 << 20, 3); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(message_of([] { to_rgb(make_image(2, 2, 5)); }),
            "a picture has 1 channel (gray), 3 (RGB) or 4 (RGBA), got 5");
  PixelPlan plan;
  plan.mean = {0.5f};
  EXPECT_EQ(code_of([&] { pixel_values(make_image(2, 2, 3), plan); }), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace transformer
