#include "positions/positions.h"

namespace transformer {

namespace {

using Scheme = std::shared_ptr<const PositionScheme>;

template <class Config>
const Config& with_length(const Config& config) {
  require(config.max_length > 0, "maxLength must be positive, got ", config.max_length);
  return config;
}

struct Make {
  const WeightScope& scope;
  const StackShape& stack;

  Scheme operator()(const NoPositions&) const { return std::make_shared<PositionScheme>(); }
  Scheme operator()(const SinusoidalPositions& config) const {
    return std::make_shared<Sinusoidal>(stack.d_model, with_length(config));
  }
  Scheme operator()(const LearnedPositions& config) const {
    return std::make_shared<Learned>(scope / "positions", stack.d_model, with_length(config));
  }
  Scheme operator()(const RotaryPositions& config) const {
    return std::make_shared<Rotary>(stack.d_head, with_length(config));
  }
  Scheme operator()(const AlibiPositions& config) const { return std::make_shared<Alibi>(stack.num_heads, config); }
  Scheme operator()(const RelativePositions& config) const {
    return std::make_shared<Relative>(scope / "relative_bias", stack, config);
  }
  Scheme operator()(const DisentangledPositions& config) const {
    return std::make_shared<Disentangled>(scope / "positions", stack.d_model, config);
  }
};

}  // namespace

Scheme make_positions(const Positions& config, const WeightScope& scope, const StackShape& stack) {
  return std::visit(Make{scope, stack}, config);
}

Scheme make_input_positions(const WeightScope& scope, int width, int max_length) {
  return std::make_shared<Learned>(scope, width, LearnedPositions{max_length});
}

bool only_rotates(const Positions& config) {
  return std::holds_alternative<NoPositions>(config) || std::holds_alternative<RotaryPositions>(config);
}

int shortest_length(const Positions& config) {
  const RotaryPositions* rotary = std::get_if<RotaryPositions>(&config);
  return rotary && rotary->axial ? rotary->prefix + 1 : 1;
}

}  // namespace transformer
