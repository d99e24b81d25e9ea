// Layer norm or RMS norm, with learned weight and bias.
#pragma once

#include "base/fields.h"
#include "base/names.h"
#include "base/workspace.h"
#include "kernels/norm.h"
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

// Each of so many equal parts of a row is normalised by itself. Affine: of the first part; `stride` further, of the
// next.
struct NormedParts {
  Affine affine;
  int parts = 1;
  int stride = 0;
};

// x [rows, width] -> out, which may be x. Observable: scale [batch, time, parts], 1 / sqrt(var + eps) or
// 1 / sqrt(mean(x^2) + eps), with which the row is multiplied. A norm with a given scale is linear.
void normalize(ConstView x, View out, const NormConfig& config, const NormedParts& of, Workspace& workspace);

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
