#include "kernels/activation_gradient.h"

#include "kernels/sigmoid.h"
#include "kernels/simd.h"

namespace transformer {

namespace {

struct ReluSlope {
  Vec operator()(Vec x) const { return xsimd::select(x > Vec(0.0f), Vec(1.0f), Vec(0.0f)); }
};

struct SiluSlope {  // s (1 + x (1 - s)) for s = sigmoid(x)
  Logistic logistic;
  Vec operator()(Vec x) const {
    const Vec s = logistic(x);
    return s * (Vec(1.0f) + x * (Vec(1.0f) - s));
  }
};

struct GeluSlope {  // Phi(x) + x phi(x) for phi(x) = e^(-x^2 / 2) / sqrt(2 pi)
  NormalCdf cdf;
  Exp exp;
  Vec operator()(Vec x) const {
    return cdf(x) + x * Vec(0.398942280f) * exp(at_least(Vec(-0.5f) * x * x, Vec(-88.0f)));
  }
};

struct GeluTanhSlope {  // x s(2u) has the derivative s + x s (1 - s) 2u' for u = sqrt(2/pi) (x + 0.044715 x^3)
  Logistic logistic;
  Vec operator()(Vec x) const {
    const Vec s = logistic(x * (Vec(1.59576912f) + Vec(0.0713548163f) * x * x));
    return s + x * s * (Vec(1.0f) - s) * (Vec(1.59576912f) + Vec(3.0f * 0.0713548163f) * x * x);
  }
};

template <class F>
void apply(const F& slope, ConstView x, View gradient) {
  for (int row = 0; row < x.rows; ++row) {
    const float* in = x.row(row);
    float* out = gradient.row(row);
    int i = 0;
    for (; i + kLanes <= x.cols; i += kLanes) store(out + i, load(out + i) * slope(load(in + i)));
    if (i == x.cols) continue;
    const int rest = x.cols - i;
    store_partial(out + i, load_partial(out + i, rest) * slope(load_partial(in + i, rest)), rest);
  }
}

}  // namespace

void activate_backward(Activation activation, ConstView x, View gradient) {
  switch (activation) {
    case Activation::kNone: return;
    case Activation::kRelu: return apply(ReluSlope{}, x, gradient);
    case Activation::kSilu: return apply(SiluSlope{}, x, gradient);
    case Activation::kGelu: return apply(GeluSlope{}, x, gradient);
    case Activation::kGeluTanh: return apply(GeluTanhSlope{}, x, gradient);
    default: fail(ErrorCode::kUnsupported, "training knows relu, gelu, gelu_tanh and silu, not this activation");
  }
}

}  // namespace transformer
