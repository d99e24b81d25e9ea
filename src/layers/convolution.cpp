#include "layers/convolution.h"

#include <algorithm>

namespace transformer {

const ConvolutionConfig& checked(const ConvolutionConfig& config) {
  require(config.out_width > 0 && config.window > 0 && config.stride > 0 && config.padding >= 0,
          "outWidth, window and stride of a convolution must be positive and its padding not negative, got ",
          config.out_width, ", ", config.window, ", ", config.stride, " and ", config.padding);
  return config;
}

Convolution::Convolution(const WeightScope& scope, int in_width, const ConvolutionConfig& config)
    : config_(checked(config)), linear_(scope / config.name, config.window * in_width, config.out_width, config.bias) {
  if (config.norm) norm_.emplace(scope / "norm", config.out_width);
}

int Convolution::steps(int time) const {
  const int last = time + 2 * config_.padding - config_.window;
  return last < 0 ? 0 : last / config_.stride + 1;
}

void Convolution::forward(ConstView x, View out, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const std::ptrdiff_t width = x.cols;
  const float* frames = x.data;
  if (config_.padding > 0) {
    const int time = x.rows + 2 * config_.padding;
    const View padded = workspace.arena.take(time, x.cols);
    std::fill_n(padded.data, config_.padding * width, 0.0f);
    std::copy_n(x.data, x.rows * width, padded.row(config_.padding));
    std::fill_n(padded.row(config_.padding + x.rows), config_.padding * width, 0.0f);
    frames = padded.data;
  }
  // The frames of a window are adjacent, so the windows are the rows of a matrix, which overlap.
  const ConstView windows = {frames, out.rows, config_.window * x.cols, config_.stride * width};
  linear_.forward(windows, out, workspace, config_.activation);
  if (norm_) norm_->forward(out, workspace);
}

}  // namespace transformer
