// Another sample rate for a recording: band-limited interpolation (Smith and Gossett 1984) with a sinc under a Kaiser
// window.
#pragma once

#include <vector>

#include "signal/audio.h"

namespace transformer {

class Resampler {
 public:
  // Rates in Hz, from 1000 to 768000; invalid_argument outside.
  Resampler(double from, double to);

  // The number of samples that the result has for a recording of `length` samples.
  std::int64_t length(std::int64_t length) const;

  // The input samples on each side of a point that its value depends on.
  int reach() const { return reach_; }

  // Output samples first ... of a recording; sample n lies at n * from / to of the input.
  // slice: all input samples within reach -> out
  void forward(const AudioSlice& slice, std::int64_t first, std::span<float> out) const;

 private:
  double ratio_;  // input samples for each output sample
  double scale_;  // zero crossings of the sinc for each input sample
  int reach_;
  std::vector<double> kernel_;  // one side of the windowed sinc, kSteps points for each zero crossing
};

}  // namespace transformer
