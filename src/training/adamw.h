// AdamW (Loshchilov and Hutter 2019, algorithm 2) with a learning rate that warms up and decays.
#pragma once

#include "base/fields.h"
#include "base/names.h"
#include "training/parameters.h"

namespace transformer::training {

// From the end of the warm-up to the last step: as it is, to zero along a line, or along half of a cosine (Loshchilov
// and Hutter 2017).
enum class Decay { kNone, kLinear, kCosine };

constexpr auto enum_names(Decay) {
  return std::to_array<Named<Decay>>({{"none", Decay::kNone}, {"linear", Decay::kLinear}, {"cosine", Decay::kCosine}});
}

struct Optimizer {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;  // of matrices; biases and the weights of norms do not decay
  double max_grad_norm = 1.0;  // the norm of all gradients together to which they are scaled down; 0: never
  int warmup_steps = 0;        // in which the learning rate grows along a line
  int total_steps = 0;         // of the decay
  Decay decay = Decay::kNone;
};

// invalid_argument, in the user's names, for impossible numbers.
const Optimizer& checked(const Optimizer& optimizer);

// Of a step, counted from 1.
double learning_rate_at(const Optimizer& optimizer, int step);

// The Euclidean norm of all gradients together.
double gradient_norm(const Parameters& parameters);

// Changes every parameter by its gradient, which was scaled by `factor` first. step: counted from 1
void update(Parameters& parameters, const Optimizer& optimizer, int step, double factor);

}  // namespace transformer::training
