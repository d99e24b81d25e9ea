// The three attentions over tensors of any shapes, masks and options: an error or a result, the same on two threads.
#include "attention/attention.h"

#include "attention/additive.h"
#include "attention/luong.h"
#include "fuzzed.h"

namespace transformer::fuzz {
namespace {

// Shapes that often fit each other: leading axes, then rows and columns.
struct Sizes {
  explicit Sizes(Data& data) : queries(size_from(data)), keys(size_from(data, 70)), width(size_from(data)) {
    leading.resize(data.ConsumeIntegralInRange<std::size_t>(0, 2));
    for (int& axis : leading) axis = size_from(data, 3);
  }
  Shape with(Data& data, int rows, int cols) const {
    if (data.ConsumeIntegralInRange(0, 15) == 15) return shape_from(data);
    Shape shape = leading;
    shape.insert(shape.end(), {rows, cols});
    return shape;
  }
  int queries, keys, width;
  Shape leading;
};

Tensor optional_mask(Data& data, const Sizes& sizes) {
  switch (data.ConsumeIntegralInRange(0, 4)) {
    case 0: return mask_from(data, {sizes.keys});
    case 1: return mask_from(data, sizes.with(data, sizes.queries, sizes.keys));
    case 2: return mask_from(data, {});
    case 3: return mask_from(data, shape_from(data));
    default: return {};
  }
}

void dot_product(Data& data) {
  const Sizes sizes(data);
  const AttentionArguments given = {tensor_from(data, sizes.with(data, sizes.queries, sizes.width)),
                                    tensor_from(data, sizes.with(data, sizes.keys, sizes.width)),
                                    tensor_from(data, sizes.with(data, sizes.keys, size_from(data))),
                                    optional_mask(data, sizes),
                                    {}};
  AttentionOptions options = {data.ConsumeBool(), std::max(size_from(data, 80), -5) - 1, std::nullopt, true};
  if (data.ConsumeBool()) options.scale = number_from(data);
  static ThreadPool one(1), two(2);
  AttentionResult results[2];
  int i = 0;
  for (ThreadPool* threads : {&one, &two}) {
    Arena arena;
    Workspace workspace{arena, *threads};
    results[i++] = scaled_dot_product_attention(
        {given.query.clone(), given.key.clone(), given.value.clone(), given.mask.clone(), {}}, options, workspace);
  }
  require_same_bits(results[0].output, results[1].output);
  require_same_bits(results[0].weights, results[1].weights);
}

void by_scores(Data& data) {
  const Sizes sizes(data);
  static ThreadPool threads(2);
  Arena arena;
  Workspace workspace{arena, threads};
  ScoreArguments arguments = {tensor_from(data, sizes.with(data, sizes.queries, sizes.width)),
                              tensor_from(data, sizes.with(data, sizes.keys, sizes.width)),
                              {},
                              optional_mask(data, sizes)};
  if (data.ConsumeBool()) arguments.values = tensor_from(data, sizes.with(data, sizes.keys, size_from(data)));
  if (data.ConsumeBool()) {
    const int inner = size_from(data);
    AdditiveTensors weights = {tensor_from(data, {inner, sizes.width}),
                               tensor_from(data, {inner, sizes.width}),
                               tensor_from(data, {inner}),
                               {}};
    if (data.ConsumeBool()) weights.bias = tensor_from(data, {inner});
    additive_attention(std::move(arguments), weights, workspace);
    return;
  }
  LuongTensors tensors = {.score = enum_from<LuongScore>(data)};
  if (tensors.score == LuongScore::kGeneral) tensors.W = tensor_from(data, {sizes.width, sizes.width});
  if (tensors.score == LuongScore::kConcat) {
    tensors.W =
        tensor_from(data, {3, data.ConsumeBool() ? size_from(data) : std::max(0, std::min(sizes.width, 9)) * 2});
    tensors.v = tensor_from(data, {3});
  }
  if (data.ConsumeBool()) {
    tensors.centers = tensor_from(data, data.ConsumeBool() ? Shape{sizes.queries} : shape_from(data));
    tensors.D = number_from(data);
    tensors.gaussian = data.ConsumeBool();
  }
  luong_attention(std::move(arguments), std::move(tensors), workspace);
}

}  // namespace
}  // namespace transformer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace transformer::fuzz;
  Data data(bytes, size);
  may_refuse([&] { data.ConsumeBool() ? dot_product(data) : by_scores(data); });
  return 0;
}
