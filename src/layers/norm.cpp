#include "layers/norm.h"

#include <algorithm>

#include "kernels/norm.h"

namespace transformer {

Norm::Norm(const WeightScope& scope, int d_model, const NormConfig& config)
    : name_(scope.name()),
      config_(config),
      weight_(scope.take("weight", {d_model})),
      bias_(config.kind == NormKind::kLayer && config.bias ? scope.take("bias", {d_model}) : Tensor()) {}

void Norm::forward(ConstView x, View out, Workspace& workspace) const {
  const PathScope part(workspace, name_);
  workspace.count({kLayerNormFlops * x.elements(), 0, 2.0 * x.elements() * sizeof(float)});
  normalize(x, out, config_, {{weight_.data(), bias_.empty() ? nullptr : bias_.data()}}, workspace);
}

void normalize(ConstView x, View out, const NormConfig& config, const NormedParts& of, Workspace& workspace) {
  const int width = x.cols / of.parts;
  const auto standard_of = [&](int row, int part) {
    return (config.kind == NormKind::kLayer ? layer_standard : rms_standard)(x.row(row) + part * width, width,
                                                                             config.eps);
  };
  const Arena::Scope scope(workspace.arena);
  View scales;
  if (workspace.wants("scale") || workspace.edits("scale")) {
    scales = workspace.arena.take(x.rows, of.parts);
    for (int row = 0; row < x.rows; ++row) {
      for (int part = 0; part < of.parts; ++part) scales.row(row)[part] = standard_of(row, part).scale;
    }
    workspace.offer("scale", scales);
  }
  workspace.threads.parallel_for(ceil_div(x.rows, kNormTaskRows), kNormWork * x.rows * x.cols, [&](int task, int) {
    const int end = std::min((task + 1) * kNormTaskRows, x.rows);
    for (int row = task * kNormTaskRows; row < end; ++row) {
      for (int part = 0; part < of.parts; ++part) {
        Standard standard = standard_of(row, part);
        if (scales.data) standard.scale = scales.row(row)[part];
        const auto& [weight, bias] = of.affine;
        normalize_row(x.row(row) + part * width, out.row(row) + part * width, width, standard,
                      {weight + part * of.stride, bias});
      }
    }
  });
}

}  // namespace transformer
