#include "kernels/activation.h"

#include "kernels/elementwise.h"
#include "kernels/sigmoid.h"
#include "kernels/simd.h"

namespace transformer {

namespace {

struct None {
  Vec operator()(Vec x) const { return x; }
};

struct Relu {  // this order of the comparison keeps NaN
  Vec operator()(Vec x) const { return xsimd::select(x < Vec(0.0f), Vec(0.0f), x); }
};

struct Gelu {  // x Phi(x)
  NormalCdf phi;
  Vec operator()(Vec x) const { return x * phi(x); }
};

struct GeluTanh {  // x/2 (1 + tanh u) = x / (1 + e^-2u) for u = sqrt(2/pi) (x + 0.044715 x^3)
  Logistic logistic;
  Vec operator()(Vec x) const {
    return x / logistic.one_plus_exp(x * (Vec(-1.59576912f) - Vec(0.0713548163f) * x * x));
  }
};

struct Relu2 {
  Vec operator()(Vec x) const { return Relu{}(x)*Relu{}(x); }
};

struct Relu6 {
  Vec operator()(Vec x) const { return xsimd::select(x > Vec(6.0f), Vec(6.0f), Relu{}(x)); }
};

// x / (1 + e^(-slope x)): SiLU with a slope of 1, and QuickGELU.
struct Silu {
  float slope = 1.0f;
  Logistic logistic = {};
  Vec operator()(Vec x) const { return x / logistic.one_plus_exp(Vec(-slope) * x); }
};

struct Mish {  // tanh(log(1 + e^x)) = (n - 1) / (n + 1) for n = (1 + e^x)^2; beyond 20 it is 1 in single precision
  Exp exp;
  Vec operator()(Vec x) const {
    const Vec e = exp(at_most(x, Vec(20.0f)));
    const Vec n = e * (e + Vec(2.0f));  // (1 + e)^2 - 1 without cancellation
    return x * n / (n + Vec(2.0f));
  }
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
    case Activation::kRelu2: return visitor(Relu2{});
    case Activation::kRelu6: return visitor(Relu6{});
    case Activation::kQuickGelu: return visitor(Silu{1.702f});
    case Activation::kSilu: return visitor(Silu{});
    case Activation::kMish: return visitor(Mish{});
    case Activation::kSigmoid: return visitor(Logistic{});
    case Activation::kTanh: return visitor(Tanh{});
  }
}

// x <- f(x). Unlike transform_row() it has one copy of f, for whole vectors and the tail: f is long.
template <class F>
void apply(const F& f, float* x, int count) {
  for (int i = 0; i < count; i += kLanes) {
    const int rest = count - i;
    const bool whole = rest >= kLanes;
    const Vec y = f(whole ? load(x + i) : load_partial(x + i, rest));
    if (whole) {
      store(x + i, y);
    } else {
      store_partial(x + i, y, rest);
    }
  }
}

}  // namespace

// Not inlined: eleven functions are 8 kB of code, and there are three callers.
[[gnu::noinline]] void activate(Activation activation, View x) {
  if (activation == Activation::kNone) return;
  visit(activation, [&](const auto& f) {
    for (int row = 0; row < x.rows; ++row) apply(f, x.row(row), x.cols);
  });
}

void activate_gated(Activation activation, View x, ConstView gate) {
  for (int row = 0; row < x.rows; ++row) {
    activate(activation, x.row_range(row, 1));
    multiply_row(gate.row(row), x.row(row), x.cols);
  }
}

}  // namespace transformer
