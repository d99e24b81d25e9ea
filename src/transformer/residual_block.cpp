#include "transformer/residual_block.h"

#include <string>

#include "kernels/elementwise.h"

namespace transformer {

ResidualBlock::ResidualBlock(const WeightScope& scope, const char* name, const LayerConfig& config, bool has_norm)
    : name_(name), place_(config.norm_place), scale_(config.residual_scale) {
  const auto make = [&](std::optional<Norm>& norm, const char* suffix) {
    norm.emplace(scope / (std::string(name) + suffix), config.d_model, config.norm);
  };
  std::optional<Norm>& first = place_ == NormPlace::kPost ? sum_ : place_ == NormPlace::kBranch ? branch_ : before_;
  if (has_norm) make(first, "_norm");
  if (place_ == NormPlace::kSandwich) make(branch_, "_post_norm");
  if (config.layer_scale) layer_scale_ = (scope / (std::string(name) + "_scale")).take("weight", {config.d_model});
}

void ResidualBlock::run(const BlockRows& rows, Workspace& workspace, Call call, const void* sublayer) const {
  const Arena::Scope scope(workspace.arena);
  const PathScope path(workspace, name_);
  const View x = rows.x;
  ConstView in = rows.input;
  if (before_) {
    const View normed = workspace.arena.take(x.rows, x.cols);
    before_->forward(in, normed, workspace);
    in = normed;
  }
  const ConstView residual = place_ == NormPlace::kPreResidual ? in : x;
  const View branch = workspace.arena.take(x.rows, x.cols);
  const bool is_sum = !branch_ && scale_ == 1.0f && layer_scale_.empty();  // the sub-layer itself adds the residual
  call(sublayer, in, {branch, is_sum ? residual : ConstView{}});
  if (branch_) branch_->forward(branch, branch, workspace);
  for (int row = 0; row < x.rows && !layer_scale_.empty(); ++row) {
    multiply_row(layer_scale_.data(), branch.row(row), x.cols);
  }
  View sum = branch;
  if (!is_sum) {
    copy_rows(residual, x);
    for (int row = 0; row < x.rows; ++row) add_scaled_row(branch.row(row), scale_, x.row(row), x.cols);
    sum = x;
  }
  if (sum_) {
    sum_->forward(sum, x, workspace);
  } else {
    copy_rows(sum, x);
  }
  workspace.offer("residual", x, {rows.sequences.batch, rows.sequences.time, x.cols});
}

}  // namespace transformer
