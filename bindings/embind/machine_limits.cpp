// What this machine can compute and read at most, to compare a model's times with.
#include "kernels/machine_limits.h"

#include "context.h"
#include "guarded.h"
#include "js.h"

namespace transformer::bindings {

namespace {

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

EMSCRIPTEN_BINDINGS(machine_limits) {
  register_struct<MachineLimits>("MachineLimits");
  emscripten::function("machineLimits", guarded<machine_limits>);
}

}  // namespace transformer::bindings
