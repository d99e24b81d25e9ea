// The discrete Fourier transform of real numbers, of any even length: Cooley and Tukey (1965) by the factors of the
// length.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace transformer {

class RealFourier {
 public:
  // invalid_argument for a length that is not even, or not from 2 to 65536.
  explicit RealFourier(int length);

  int length() const { return 2 * half_; }
  int bins() const { return half_ + 1; }

  // |X[k]|^2 of X[k] = sum_t x[t] e^(-2 pi i k t / length). samples [length] -> power [bins]
  void power(std::span<const double> samples, std::span<double> power);

 private:
  using Complex = std::complex<double>;

  // in: half_ / stride numbers, `stride` apart -> out, in order
  void transform(const Complex* in, int stride, std::size_t level, Complex* out);

  int half_;
  std::vector<int> factors_;    // of half_
  std::vector<Complex> roots_;  // e^(-2 pi i k / length)
  std::vector<Complex> packed_;
  std::vector<Complex> spectrum_;
  std::vector<Complex> turned_;  // the numbers that one butterfly combines
};

}  // namespace transformer
