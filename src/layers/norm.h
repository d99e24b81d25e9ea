// Layer norm or RMS norm, with learned weight and bias.
#pragma once

#include "base/fields.h"
#include "base/names.h"
#include "base/workspace.h"
#include "weights/weights.h"

namespace transformer {

enum class NormKind { kLayer, kRms };

constexpr auto enum_names(NormKind) {
  return std::to_array<Named<NormKind>>({{"layer", NormKind::kLayer}, {"rms", NormKind::kRms}});
}

struct NormConfig {
  NormKind kind = NormKind::kLayer;
  float eps = 1e-5f;
  bool bias = true;  // only of a layer norm
};

constexpr auto fields_of(const NormConfig*) {
  return std::tuple{Field{"kind", &NormConfig::kind}, Field{"eps", &NormConfig::eps}, Field{"bias", &NormConfig::bias}};
}

class Norm {
 public:
  // scope: weight [d_model]; bias [d_model] (optional)
  Norm(const WeightScope& scope, int d_model, const NormConfig& config);

  // x [rows, d_model] -> out, which may be x.
  void forward(ConstView x, View out, Workspace& workspace) const;

 private:
  std::string name_;  // in paths: "self_attn_norm"
  NormConfig config_;
  Tensor weight_;
  Tensor bias_;
};

}  // namespace transformer
