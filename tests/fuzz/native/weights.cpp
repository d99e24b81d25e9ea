// The loader of weights, in any order of its calls and with any bytes: what a damaged checkpoint may bring about.
#include "fuzzed.h"
#include "weights/loader.h"

namespace transformer::fuzz {
namespace {

constexpr const char* kNames[] = {"a.weight", "b.weight", "c.bias", "norm.weight", "x"};

Shape small_shape(Data& data) {
  Shape shape = shape_from(data);
  require(element_count(shape) <= 4096, "too large for a fuzzer");
  return shape;
}

std::vector<int> numbers(Data& data) {
  std::vector<int> list(data.ConsumeIntegralInRange<std::size_t>(0, 4));
  for (int& number : list) number = size_from(data);
  return list;
}

// purpose: of all matrices, since a layer takes each for what its family declared; tables are taken as tensors only.
void step(Data& data, WeightsLoader& loader, MatrixPurpose purpose) {
  const std::string name = data.PickValueInArray(kNames), other = data.PickValueInArray(kNames);
  switch (data.ConsumeIntegralInRange(0, 8)) {
    case 0: return loader.declare(name, small_shape(data), enum_from<StoredType>(data), purpose);
    case 1: {
      Scales scales;
      scales.values.resize(data.ConsumeIntegralInRange<std::size_t>(0, 4), 0.5f);
      scales.run = data.ConsumeIntegralInRange<std::size_t>(0, 9);
      return loader.scale(name, std::move(scales));
    }
    case 2: {
      const std::size_t first = data.ConsumeBool() ? 0 : data.ConsumeIntegral<std::size_t>();
      const auto bytes = data.ConsumeBytes<std::uint8_t>(data.ConsumeIntegralInRange<std::size_t>(0, 400));
      return loader.write(name, first, bytes);
    }
    case 3:
      return loader.view(name, small_shape(data), other, {numbers(data), numbers(data), size_from(data)}, purpose);
    case 4: return loader.rename(name, other);
    case 5: return loader.drop(name);
    case 6: {
      const Shape shape = small_shape(data);
      if (shape.size() != 2 || purpose == MatrixPurpose::kTable) loader.complete().take(name, shape);
      return;
    }
    case 7: {
      const int rows = size_from(data), cols = size_from(data);
      if (purpose != MatrixPurpose::kTable) loader.complete().take_matrix(name, rows, cols, purpose);
      return;
    }
    default: loader.names();
  }
}

}  // namespace
}  // namespace transformer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace transformer;
  using namespace transformer::fuzz;
  Data data(bytes, size);
  WeightsLoader loader{Weights(enum_from<Dtype>(data))};
  const auto purpose = enum_from<MatrixPurpose>(data);
  for (int i = 0; i < 40 && data.remaining_bytes() > 0; ++i) may_refuse([&] { step(data, loader, purpose); });
  return 0;
}
