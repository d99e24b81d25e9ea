// A convolution over time (Waibel et al. 1989): each output is a product of the frames in a window.
#pragma once

#include <optional>
#include <string>

#include "layers/group_norm.h"
#include "layers/linear.h"

namespace transformer {

struct ConvolutionConfig {
  std::string name;  // of its weights, and in paths
  int out_width = 0;
  int window = 1;  // in frames
  int stride = 1;
  int padding = 0;  // frames of zeros at both ends
  bool bias = true;
  Activation activation = {};
  bool norm = false;  // all numbers of a sequence are normalised afterwards
};

constexpr auto fields_of(const ConvolutionConfig*) {
  return std::tuple{Field{"name", &ConvolutionConfig::name},
                    Field{"outWidth", &ConvolutionConfig::out_width},
                    Field{"window", &ConvolutionConfig::window},
                    Field{"stride", &ConvolutionConfig::stride},
                    Field{"padding", &ConvolutionConfig::padding},
                    Field{"bias", &ConvolutionConfig::bias},
                    Field{"activation", &ConvolutionConfig::activation},
                    Field{"norm", &ConvolutionConfig::norm}};
}

// The config itself; invalid_argument for impossible sizes.
const ConvolutionConfig& checked(const ConvolutionConfig& config);

class Convolution {
 public:
  // scope: NAME weight [out_width, window * in_width], where the numbers of a frame are adjacent, and bias; norm
  // (optional): weight and bias
  Convolution(const WeightScope& scope, int in_width, const ConvolutionConfig& config);

  const std::string& name() const { return config_.name; }
  int out_width() const { return config_.out_width; }
  int stride() const { return config_.stride; }

  // Of a sequence of `time` frames; 0 if it is shorter than the window.
  int steps(int time) const;
  // The fewest frames that make so many steps.
  int frames_for(int steps) const { return (steps - 1) * config_.stride + config_.window - 2 * config_.padding; }

  // x [time, in_width], whose rows are adjacent -> out [steps(time), out_width], of one sequence
  void forward(ConstView x, View out, Workspace& workspace) const;

 private:
  ConvolutionConfig config_;
  Linear linear_;
  std::optional<GroupNorm> norm_;
};

}  // namespace transformer
