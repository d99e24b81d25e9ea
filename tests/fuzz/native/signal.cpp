// Sound and pictures of any size, under any configuration: an error, or features of the size that was asked for.
#include "fuzzed.h"
#include "signal/log_mel.h"
#include "signal/pixel_values.h"
#include "signal/resampler.h"

namespace transformer::fuzz {
namespace {

std::vector<float> samples_from(Data& data) {
  std::vector<float> samples(data.ConsumeIntegralInRange<std::size_t>(0, 600));
  for (float& sample : samples) sample = number_from(data);
  return samples;
}

// A place in a recording of at most nine million years.
std::int64_t place_from(Data& data) {
  if (data.ConsumeIntegralInRange(0, 7) == 7)
    return data.ConsumeIntegralInRange<std::int64_t>(0, std::int64_t{1} << 53);
  return data.ConsumeIntegralInRange(0, 700);
}

void features(Data& data) {
  const LogMelConfig config = {size_from(data, 12), size_from(data, 16000),
                               2 * std::clamp(size_from(data, 40), -1, 1 << 20), size_from(data, 40)};
  LogMel mel(config);
  const std::vector<float> samples = samples_from(data);
  Tensor out({data.ConsumeIntegralInRange(0, 3), mel.bands()});
  require(out.size() <= 4096 && config.window <= 4096, "too large for a fuzzer");
  mel.forward({samples, place_from(data)}, place_from(data) + 1, place_from(data) / std::max(config.hop, 1),
              out.matrix());
  clamp_log_mel(number_from(data), {out.data(), out.size()});
}

void resampled(Data& data) {
  const auto rate = [&] {
    return data.ConsumeIntegralInRange(0, 15) == 15 ? number_from(data) : 1000.0 + place_from(data);
  };
  const double from = rate(), to = rate();
  require(from < 50 * to, "too slow for a fuzzer");
  const Resampler resampler(from, to);
  const std::vector<float> samples = samples_from(data);
  if (resampler.length(place_from(data)) < 0 || resampler.reach() < 0) std::abort();
  std::vector<float> out(data.ConsumeIntegralInRange<std::size_t>(0, 20));
  resampler.forward({samples, place_from(data)}, place_from(data), out);
}

ImageSize image_size_from(Data& data) {
  const ImageSize size = {size_from(data, 9), size_from(data, 9)};
  require(1.0 * size.rows * size.columns <= 1e4, "too large for a fuzzer");
  return size;
}

void picture(Data& data) {
  const ImageSize size = image_size_from(data);
  Image image = make_image(size.rows, size.columns, data.ConsumeIntegralInRange(0, 5));
  for (std::uint8_t& byte : image.bytes) byte = data.ConsumeIntegral<std::uint8_t>();
  PixelPlan plan;
  plan.size = image_size_from(data);
  plan.resample = enum_from<Resample>(data);
  plan.crop = image_size_from(data);
  plan.rescale = number_from(data);
  for (std::vector<float>* colours : {&plan.mean, &plan.deviation}) {
    colours->resize(data.PickValueInArray({0, 3, 3, 2}));
    for (float& colour : *colours) colour = number_from(data);
  }
  const Tensor values = pixel_values(std::move(image), plan);
  const ImageSize wanted = plan.crop.rows > 0 ? plan.crop : plan.size.rows > 0 ? plan.size : size;
  if (values.shape() != Shape{3, wanted.rows, wanted.columns}) std::abort();
}

}  // namespace
}  // namespace transformer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace transformer::fuzz;
  Data data(bytes, size);
  may_refuse([&] {
    switch (data.ConsumeIntegralInRange(0, 2)) {
      case 0: return features(data);
      case 1: return resampled(data);
      default: return picture(data);
    }
  });
  return 0;
}
