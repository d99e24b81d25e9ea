// The building blocks without weights, with tensors and sizes of any kind.
#include "base/broadcast.h"
#include "fuzzed.h"
#include "kernels/norm.h"
#include "kernels/softmax.h"
#include "matrices/matmul.h"
#include "positions/alibi.h"
#include "positions/relative.h"
#include "positions/rotary.h"
#include "positions/sinusoidal.h"

namespace transformer::fuzz {
namespace {

// Sizes whose result is small enough for a fuzzer.
void require_small(double size) { require(size <= 1e5, "too large for a fuzzer"); }

void run(Data& data) {
  static ThreadPool threads(2);
  switch (data.ConsumeIntegralInRange(0, 8)) {
    case 0: {
      Tensor x = tensor_from(data, shape_from(data));
      softmax(x.matrix(), x.matrix());
      return;
    }
    case 1: {
      Tensor x = tensor_from(data, shape_from(data));
      log_softmax(x.matrix(), x.matrix());
      return;
    }
    case 2: {
      Tensor x = tensor_from(data, shape_from(data)), weight, bias;
      if (data.ConsumeBool()) weight = tensor_from(data, shape_from(data));
      if (data.ConsumeBool()) bias = tensor_from(data, shape_from(data));
      const float eps = number_from(data);
      data.ConsumeBool() ? layer_norm(std::move(x), weight, bias, eps) : rms_norm(std::move(x), weight, eps);
      return;
    }
    case 3: {
      Tensor a = tensor_from(data, shape_from(data)), b = tensor_from(data, shape_from(data));
      matmul(std::move(a), std::move(b), threads);
      return;
    }
    case 4: {
      const int d_model = size_from(data), length = size_from(data);
      require_small(1.0 * d_model * length);
      sinusoidal_positions(d_model,
                           {length, enum_from<SinusoidLayout>(data), size_from(data), 1.0 + number_from(data)});
      return;
    }
    case 5:
      rotated(tensor_from(data, shape_from(data)), size_from(data), {0, enum_from<RotaryLayout>(data), 100.0});
      return;
    case 6: {
      const int heads = size_from(data), queries = size_from(data), keys = size_from(data);
      require_small(1.0 * heads * queries * keys);
      alibi_bias(heads, queries, keys);
      return;
    }
    case 7: {
      const int buckets = std::max(4, size_from(data)), distance = size_from(data);
      require(distance > buckets / 2 && distance != INT_MIN, "as a config is checked");
      const int bucket = relative_bucket(std::max(-INT_MAX, size_from(data)), data.ConsumeBool(), {buckets, distance});
      if (bucket < 0 || bucket >= buckets) std::abort();
      return;
    }
    default: {
      const Shape leading = shape_from(data);
      Tensor x = tensor_from(data, shape_from(data));
      if (x.shape().size() < 2) return;
      require_small(static_cast<double>(element_count(leading)) * 30);
      broadcast_leading(std::move(x), leading, 2, "x");
    }
  }
}

}  // namespace
}  // namespace transformer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace transformer::fuzz;
  Data data(bytes, size);
  may_refuse([&] { run(data); });
  return 0;
}
