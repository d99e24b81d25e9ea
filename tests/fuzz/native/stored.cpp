// Numbers in blocks and packed matrices with any bytes, shapes and layouts: defined numbers or a typed error, and no
// read or write out of bounds, whatever dtype they are kept in.
#include "fuzzed.h"
#include "weights/loader.h"

namespace transformer::fuzz {
namespace {

std::vector<std::uint8_t> bytes_from(Data& data, std::size_t size) {
  std::vector<std::uint8_t> bytes = data.ConsumeBytes<std::uint8_t>(std::min<std::size_t>(size, 1 << 16));
  bytes.resize(std::min<std::size_t>(size, 1 << 16), data.ConsumeIntegral<std::uint8_t>());
  return bytes;
}

void read(WeightsLoader& loader, int rows, int cols) {
  const auto w = loader.complete().take_matrix("w", rows, cols);
  std::vector<float> row(static_cast<std::size_t>(cols));
  for (int i = 0; i < rows; ++i) w->copy_column(i, row.data());
}

// A tensor whose bytes come in pieces of any size at any place.
void blocks(Data& data) {
  WeightsLoader loader{Weights(enum_from<Dtype>(data))};
  const auto type = enum_from<StoredType>(data);
  const StoredBlock block = block_of(type);
  const int rows = data.ConsumeIntegralInRange(0, 9);
  const int cols =
      data.ConsumeIntegralInRange(0, 3) * static_cast<int>(block.numbers) + std::clamp(size_from(data, 1), -1, 4096);
  require(cols >= 0 && cols < 4096, "too wide for a fuzzer");
  loader.declare("w", {rows, cols}, type);
  if (data.ConsumeBool()) loader.add("w", number_from(data));
  may_refuse([&] { loader.pair_rows("w", size_from(data), data.ConsumeBool() ? cols : size_from(data)); });
  if (type == StoredType::kI8) loader.scale("w", {{0.5f}, 1});
  std::size_t first = 0;
  for (int i = 0; i < 8; ++i) {
    const std::size_t count = data.ConsumeIntegralInRange<std::size_t>(0, 40);
    const auto bytes = bytes_from(data, data.ConsumeIntegralInRange(0, 15) ? count * block.bytes : count);
    const std::size_t place = data.ConsumeIntegralInRange(0, 15) ? first : data.ConsumeIntegral<std::size_t>();
    may_refuse([&] {
      loader.write("w", place, bytes);
      first += bytes.size() / block.bytes * block.numbers;
    });
  }
  read(loader, rows, cols);
}

// Parts of nearly the right sizes.
void packed(Data& data) {
  WeightsLoader loader{Weights(enum_from<Dtype>(data))};
  PackedLayout layout;
  layout.kind = enum_from<PackedKind>(data);
  layout.transposed = data.ConsumeBool();
  layout.inputs_first = data.ConsumeBool();
  layout.inputs = 8 * std::clamp(size_from(data, 12), -1, 4096);
  layout.outputs = 8 * std::clamp(size_from(data, 4), -1, 4096);
  layout.group_size = data.ConsumeBool() ? 32 : size_from(data, 64);
  layout.scale_type = data.ConsumeBool() ? StoredType::kF16 : enum_from<StoredType>(data);
  const std::size_t inputs = std::clamp(layout.inputs, 0, 1024), outputs = std::clamp(layout.outputs, 0, 1024);
  const std::size_t groups = (inputs + std::max(layout.group_size, 1) - 1) / std::max(layout.group_size, 1);
  const std::size_t size = block_of(layout.scale_type).bytes;
  const auto hold = [&](std::string& name, const char* given, std::size_t bytes) {
    if (!data.ConsumeBool()) return;
    name = given;
    const std::size_t held = data.ConsumeIntegralInRange(0, 31) ? bytes : bytes + data.ConsumeIntegralInRange(0, 3);
    const auto contents = bytes_from(data, held);
    loader.hold(name, static_cast<double>(contents.size()));
    loader.write(name, 0, contents);
  };
  hold(layout.integers, "q", inputs * outputs / 2);
  hold(layout.scales, "s", size * outputs * groups);
  hold(layout.zeros, "z", (outputs + 7) / 8 * groups * 4);
  hold(layout.order, "g", inputs * (data.ConsumeBool() ? 4 : 8));
  hold(layout.shape, "n", data.ConsumeBool() ? 8 : 16);
  const int rows = layout.inputs_first ? layout.inputs : layout.outputs;
  const int cols = layout.inputs_first ? layout.outputs : layout.inputs;
  const int first = size_from(data, 2);
  const std::int64_t rest = std::int64_t{rows} - first;  // beyond an int where `first` is one of the extremes
  const int taken =
      data.ConsumeBool() ? static_cast<int>(std::clamp<std::int64_t>(rest, INT_MIN, INT_MAX)) : size_from(data, 40);
  loader.unpack("w", {taken, cols}, layout, first);
  read(loader, taken, cols);
}

}  // namespace
}  // namespace transformer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace transformer::fuzz;
  Data data(bytes, size);
  const bool is_packed = data.ConsumeBool();
  may_refuse([&] { is_packed ? packed(data) : blocks(data); });
  return 0;
}
