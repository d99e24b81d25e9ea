#include "context.h"

#include <emscripten/heap.h>
#include <malloc.h>

namespace transformer::bindings {

std::shared_ptr<Context> make_context(int threads) { return std::make_shared<Context>(threads); }

double heap_bytes(const Context&) { return static_cast<double>(static_cast<std::size_t>(mallinfo().uordblks)); }

double memory_bytes(const Context&) { return static_cast<double>(emscripten_get_heap_size()); }

}  // namespace transformer::bindings
