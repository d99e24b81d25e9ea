// Two encoders compared (Radford et al. 2021: CLIP; Zhai et al. 2023: SigLIP): the logit of a pair of vectors is
// exp(scale) * cos(a, b) + bias.
#pragma once

#include "base/fields.h"
#include "base/workspace.h"
#include "weights/weights.h"

namespace transformer {

// Of each of the two encoders: whether its vectors are also given at length 1, and of one of them, whether it has the
// learned numbers that compare the two.
struct ContrastConfig {
  bool embeds = false;
  bool compares = false;
  bool bias = false;
};

constexpr auto fields_of(const ContrastConfig*) {
  return std::tuple{Field{"embeds", &ContrastConfig::embeds}, Field{"compares", &ContrastConfig::compares},
                    Field{"bias", &ContrastConfig::bias}};
}

// Each row at length 1; one of zeros stays as it is. out may be x.
void to_unit_rows(ConstView x, View out);

class Contrast {
 public:
  // scope: scale [1], bias [1] (optional)
  Contrast(const WeightScope& scope, const ContrastConfig& config);

  // Rows of length 1, a [n, width] and b [m, width] -> logits [n, m]
  void forward(ConstView a, ConstView b, View logits, Workspace& workspace) const;

 private:
  float scale_;
  float bias_;
};

}  // namespace transformer
