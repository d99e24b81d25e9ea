#include "signal/fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace transformer {

namespace {

using Complex = std::complex<double>;

constexpr int kMaxLength = 1 << 16;  // whose square is no int, but the square of its half is

// Without the checks for infinities of the standard's operator, which take most of its time.
inline Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

std::vector<int> factors_of(int n) {
  std::vector<int> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (int factor = 2; n > 1; ++factor) {
    for (; n % factor == 0; n /= factor) factors.push_back(factor);
  }
  return factors;
}

}  // namespace

RealFourier::RealFourier(int length) : half_(length / 2) {
  require(length > 0 && length <= kMaxLength && length % 2 == 0,
          "the length of a Fourier transform must be even and from 2 to ", kMaxLength, ", got ", length);
  factors_ = factors_of(half_);
  for (int k = 0; k < length; ++k) {
    const double angle = -2 * std::numbers::pi * k / length;
    roots_.emplace_back(std::cos(angle), std::sin(angle));
  }
  packed_.resize(half_);
  spectrum_.resize(half_);
  turned_.resize(half_);
}

void RealFourier::transform(const Complex* in, int stride, std::size_t level, Complex* out) {
  if (level == factors_.size()) {
    *out = *in;
    return;
  }
  const int parts = factors_[level];
  const int size = half_ / stride / parts;  // of a part
  for (int part = 0; part < parts; ++part) {
    transform(in + part * stride, stride * parts, level + 1, out + part * size);
  }
  // out[k + r size] = sum_part part[k] w^(part (k + r size)), where w = e^(-2 pi i / (parts size)).
  const int step = 2 * stride;  // w in roots_
  Complex* turned = turned_.data();
  for (int k = 0; k < size; ++k) {
    for (int part = 0; part < parts; ++part) turned[part] = times(out[part * size + k], roots_[part * k * step]);
    if (parts == 4) {
      const Complex even = turned[0] + turned[2], odd = turned[1] + turned[3];
      const Complex difference = turned[0] - turned[2], d = turned[1] - turned[3];
      const Complex turn = {d.imag(), -d.real()};  // -i d
      out[k] = even + odd;
      out[size + k] = difference + turn;
      out[2 * size + k] = even - odd;
      out[3 * size + k] = difference - turn;
      continue;
    }
    for (int r = 0; r < parts; ++r) {
      Complex sum = turned[0];
      for (int part = 1; part < parts; ++part) {
        sum += times(turned[part], roots_[part * r * size % (parts * size) * step]);
      }
      out[r * size + k] = sum;
    }
  }
}

void RealFourier::power(std::span<const double> samples, std::span<double> power) {
  // Even samples as real parts and odd ones as imaginary parts: one transform of half the length does for both.
  for (int t = 0; t < half_; ++t) packed_[t] = {samples[2 * t], samples[2 * t + 1]};
  transform(packed_.data(), 1, 0, spectrum_.data());
  for (int k = 0; k <= half_; ++k) {
    const Complex a = spectrum_[k % half_], b = std::conj(spectrum_[(half_ - k) % half_]);
    const Complex even = 0.5 * (a + b), d = 0.5 * (a - b);
    const Complex odd = {d.imag(), -d.real()};
    const Complex value = even + times(roots_[k], odd);
    power[k] = value.real() * value.real() + value.imag() * value.imag();
  }
}

}  // namespace transformer
