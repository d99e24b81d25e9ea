#include "kernels/activation.h"

#include "kernels/simd.h"

namespace transformer {

namespace {

struct None {
  Vec operator()(Vec x) const { return x; }
};

struct Relu {  // written so that NaN stays NaN
  Vec operator()(Vec x) const { return xsimd::select(x < Vec(0.0f), Vec(0.0f), x); }
};

struct Gelu {  // x Phi(x) = x/2 (1 + erf(x / sqrt 2))
  Vec operator()(Vec x) const { return Vec(0.5f) * x * (Vec(1.0f) + xsimd::erf(x * Vec(0.70710678f))); }
};

struct GeluTanh {  // x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  Vec operator()(Vec x) const {
    const Vec inner = Vec(0.79788456f) * (x + Vec(0.044715f) * x * x * x);
    return Vec(0.5f) * x * (Vec(1.0f) + xsimd::tanh(inner));
  }
};

struct Silu {  // x / (1 + e^-x)
  Vec operator()(Vec x) const { return x / (Vec(1.0f) + xsimd::exp(-x)); }
};

struct Tanh {
  Vec operator()(Vec x) const { return xsimd::tanh(x); }
};

template <class Visitor>
void visit(Activation activation, const Visitor& visitor) {
  switch (activation) {
    case Activation::kNone: return visitor(None{});
    case Activation::kRelu: return visitor(Relu{});
    case Activation::kGelu: return visitor(Gelu{});
    case Activation::kGeluTanh: return visitor(GeluTanh{});
    case Activation::kSilu: return visitor(Silu{});
    case Activation::kTanh: return visitor(Tanh{});
  }
}

}  // namespace

void activate(Activation activation, View x) {
  if (activation == Activation::kNone) return;
  visit(activation, [&](const auto& f) {
    for (int row = 0; row < x.rows; ++row) transform_row(x.row(row), x.row(row), x.cols, f);
  });
}

void activate_gated(Activation activation, View x, ConstView gate) {
  visit(activation, [&](const auto& f) {
    for (int row = 0; row < x.rows; ++row) {
      float* values = x.row(row);
      const float* gates = gate.row(row);
      int i = 0;
      for (; i + kLanes <= x.cols; i += kLanes) store(values + i, f(load(values + i)) * load(gates + i));
      if (i < x.cols) {
        const int rest = x.cols - i;
        store_partial(values + i, f(load_partial(values + i, rest)) * load_partial(gates + i, rest), rest);
      }
    }
  });
}

}  // namespace transformer
