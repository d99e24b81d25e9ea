#include "training/adamw.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/power.h"

namespace transformer::training {

const Optimizer& checked(const Optimizer& optimizer) {
  const auto positive = [](double number, const char* name) {
    require(number > 0 && std::isfinite(number), name, " must be a positive number, got ", number);
  };
  const auto not_negative = [](double number, const char* name) {
    require(number >= 0 && std::isfinite(number), name, " must not be negative, got ", number);
  };
  const auto share = [](double number, const char* name) {
    require(number >= 0 && number < 1, name, " must be at least 0 and less than 1, got ", number);
  };
  positive(optimizer.learning_rate, "learningRate");
  share(optimizer.beta1, "beta1");
  share(optimizer.beta2, "beta2");
  positive(optimizer.epsilon, "epsilon");
  not_negative(optimizer.weight_decay, "weightDecay");
  not_negative(optimizer.max_grad_norm, "maxGradNorm");
  not_negative(optimizer.warmup_steps, "warmupSteps");
  require(optimizer.decay == Decay::kNone || optimizer.total_steps > optimizer.warmup_steps,
          "decay needs totalSteps, more than warmupSteps (", optimizer.warmup_steps, "), got ", optimizer.total_steps);
  return optimizer;
}

double learning_rate_at(const Optimizer& optimizer, int step) {
  const auto& [rate, beta1, beta2, epsilon, weight_decay, max_norm, warmup, total, decay] = optimizer;
  if (step <= warmup) return rate * step / warmup;
  if (decay == Decay::kNone) return rate;
  // 0 at the first step after the warm-up, 1 after the last one
  const double done = std::min(1.0, (step - 1.0 - warmup) / (total - warmup));
  return decay == Decay::kLinear ? rate * (1.0 - done) : rate * 0.5 * (1.0 + std::cos(std::numbers::pi * done));
}

double gradient_norm(const Parameters& parameters) {
  double sum = 0;
  for (const Parameter& one : parameters.all()) {
    double squares = 0;
    for (std::size_t i = 0; i < one.gradient.size(); ++i)
      squares += double{one.gradient.data()[i]} * one.gradient.data()[i];
    sum += squares;
  }
  return std::sqrt(sum);
}

void update(Parameters& parameters, const Optimizer& optimizer, int step, double factor) {
  const double rate = learning_rate_at(optimizer, step);
  // m / (1 - beta1^t) and v / (1 - beta2^t) are the moments without their bias to zero.
  const double first = 1.0 - power(optimizer.beta1 > 0 ? optimizer.beta1 : 1e-300, step);
  const double second = 1.0 - power(optimizer.beta2 > 0 ? optimizer.beta2 : 1e-300, step);
  const float beta1 = static_cast<float>(optimizer.beta1), beta2 = static_cast<float>(optimizer.beta2);
  const float rest1 = static_cast<float>(1.0 - optimizer.beta1), rest2 = static_cast<float>(1.0 - optimizer.beta2);
  const float size = static_cast<float>(rate / first);
  const float root = static_cast<float>(1.0 / std::sqrt(second));
  const float epsilon = static_cast<float>(optimizer.epsilon);
  const float scaled = static_cast<float>(factor);
  for (Parameter& one : parameters.all()) {
    const bool decays = one.value.shape().size() > 1;
    const float kept = static_cast<float>(decays ? 1.0 - rate * optimizer.weight_decay : 1.0);
    float *value = one.value.data(), *mean = one.mean.data(), *square = one.square.data();
    const float* gradient = one.gradient.data();
    for (std::size_t i = 0; i < one.value.size(); ++i) {
      const float g = gradient[i] * scaled;
      mean[i] = beta1 * mean[i] + rest1 * g;
      square[i] = beta2 * square[i] + rest2 * g * g;
      value[i] = kept * value[i] - size * mean[i] / (std::sqrt(square[i]) * root + epsilon);
    }
  }
}

}  // namespace transformer::training
