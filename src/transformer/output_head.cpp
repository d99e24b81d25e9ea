#include "transformer/output_head.h"

#include <algorithm>

#include "layers/contrast.h"

namespace transformer {

OutputHead::OutputHead(const WeightScope& scope, const HeadConfig& config, int d_model)
    : reads_(config.reads),
      id_(config.id),
      prefix_(config.prefix),
      in_features_(reads_ == HeadInput::kFirstAndMean ? 2 * d_model : d_model),
      out_features_(in_features_) {
  require(prefix_ >= 0, "the head's prefix must not be negative, got ", prefix_);
  for (const HeadStep& step : config.steps) {
    if (step.unit) {
      steps_.emplace_back(Unit{});
    } else if (step.out_features == 0) {
      steps_.emplace_back(Norm(scope / step.name, out_features_, step.norm));
    } else {
      steps_.emplace_back(
          Dense{Linear(scope / step.name, out_features_, step.out_features, step.bias), step.activation});
      out_features_ = step.out_features;
    }
  }
}

void OutputHead::forward(ConstView x, View out, Workspace& given, bool with_unit) const {
  // Nothing of a head is observable: whether it runs depends on what the caller wants.
  Workspace workspace{given.arena, given.threads, nullptr, given.profiler, nullptr, nullptr, given.path};
  const Arena::Scope scope(workspace.arena);
  ConstView in = x;
  for (const auto& step : steps_) {
    if (const Dense* dense = std::get_if<Dense>(&step)) {
      const View next = workspace.arena.take(x.rows, dense->linear.out_features());
      dense->linear.forward(in, next, workspace, dense->activation);
      in = next;
    } else if (const Norm* norm = std::get_if<Norm>(&step)) {
      const View next = workspace.arena.take(x.rows, in.cols);
      norm->forward(in, next, workspace);
      in = next;
    } else if (with_unit) {
      const View next = workspace.arena.take(x.rows, in.cols);
      to_unit_rows(in, next);
      in = next;
    }
  }
  for (int row = 0; row < x.rows; ++row) std::copy_n(in.row(row), in.cols, out.row(row));
}

}  // namespace transformer
