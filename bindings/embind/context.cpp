#include "context.h"

#include <emscripten/heap.h>

#include "guarded.h"
#include "heap.h"
#include "js.h"
#include "kernels/machine_limits.h"

namespace transformer::bindings {

namespace {

std::shared_ptr<Context> make_context(int threads) { return std::make_shared<Context>(threads); }

// Bytes of the wasm heap in use.
double bytes_in_use() { return static_cast<double>(heap_bytes()); }

// Bytes of the wasm memory, which only grows.
double memory_bytes() { return static_cast<double>(emscripten_get_heap_size()); }

// The sums over all threads.
struct MachineLimits {
  double flops_per_second;
  double integer_ops_per_second;
  double bytes_per_second;
};

constexpr auto fields_of(const MachineLimits*) {
  return std::tuple{Field{"flopsPerSecond", &MachineLimits::flops_per_second},
                    Field{"integerOpsPerSecond", &MachineLimits::integer_ops_per_second},
                    Field{"bytesPerSecond", &MachineLimits::bytes_per_second}};
}

// bytes: size of the buffer that is read
MachineLimits machine_limits(Context& context, double bytes) {
  return {measure_multiply_adds(context.threads), measure_integer_products(context.threads),
          measure_reading(static_cast<std::size_t>(bytes), context.threads)};
}

}  // namespace

EMSCRIPTEN_BINDINGS(context) {
  emscripten::class_<Context>("Context").smart_ptr_constructor("Context", guarded<make_context>);
  register_struct<MachineLimits>("MachineLimits");
  emscripten::function("heapBytes", &bytes_in_use);
  emscripten::function("memoryBytes", &memory_bytes);
  emscripten::function("machineLimits", guarded<machine_limits>);
}

}  // namespace transformer::bindings
