// Log-mel features of sound, as Whisper's (Radford et al. 2022, section 2.2): the power of short windows in bands that
// are equally wide on Slaney's mel scale.
#pragma once

#include <vector>

#include "base/fields.h"
#include "base/tensor.h"
#include "signal/audio.h"
#include "signal/fourier.h"

namespace transformer {

struct LogMelConfig {
  int bands = 80;
  int sample_rate = 16000;  // in Hz
  int window = 400;         // samples, weighted by a periodic Hann window
  int hop = 160;            // samples between two frames
};

constexpr auto fields_of(const LogMelConfig*) {
  return std::tuple{Field{"bands", &LogMelConfig::bands}, Field{"sampleRate", &LogMelConfig::sample_rate},
                    Field{"window", &LogMelConfig::window}, Field{"hop", &LogMelConfig::hop}};
}

class LogMel {
 public:
  // invalid_argument for sizes that make no features.
  explicit LogMel(const LogMelConfig& config);

  int bands() const { return config_.bands; }

  // log10 of the power, at least 1e-10, of the frames first_frame ... of a recording with `length` samples, which
  // continues as its mirror image beyond both ends. Frame f is centred on the sample f * hop.
  // slice: all samples that these frames reach -> out [frames, bands]. invalid_argument for samples that are not
  // finite.
  void forward(const AudioSlice& slice, std::int64_t length, std::int64_t first_frame, View out);

 private:
  struct Band {  // the bins that it covers
    int first_bin;
    std::vector<double> weights;
  };

  LogMelConfig config_;
  RealFourier fourier_;
  std::vector<double> hann_;
  std::vector<Band> bands_;
  std::vector<double> windowed_;
  std::vector<double> power_;
};

// Lifts everything to at most 8 powers of ten below `maximum`, the greatest feature of the whole recording, and maps
// it to (x + 4) / 4. In place.
void clamp_log_mel(float maximum, std::span<float> features);

}  // namespace transformer
