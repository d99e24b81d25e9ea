// A piece of a recording, cut out so that hours of sound need not be in memory at once.
#pragma once

#include <cstdint>
#include <span>

namespace transformer {

struct AudioSlice {
  std::span<const float> samples;  // one channel
  std::int64_t begin = 0;          // the place of the first of them in the recording

  // The sample at a place of the recording; 0 where the slice has none.
  float at(std::int64_t place) const {
    const std::int64_t index = place - begin;
    return index >= 0 && index < static_cast<std::int64_t>(samples.size()) ? samples[index] : 0.0f;
  }
};

}  // namespace transformer
