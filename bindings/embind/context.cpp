#include "context.h"

#include <emscripten/heap.h>
#include <malloc.h>

#include "kernels/gemm_int8.h"

namespace transformer::bindings {

std::shared_ptr<Context> make_context(int threads) { return std::make_shared<Context>(threads); }

double heap_bytes(const Context&) { return static_cast<double>(static_cast<std::size_t>(mallinfo().uordblks)); }

double memory_bytes(const Context&) { return static_cast<double>(emscripten_get_heap_size()); }

int activation_bits(const Context&) { return int8_dot_group() == DotGroup::kQuads ? 7 : 16; }

}  // namespace transformer::bindings
