#include "context.h"

#include <emscripten/bind.h>
#include <emscripten/heap.h>

#include "guarded.h"
#include "heap.h"

namespace transformer::bindings {

namespace {

std::shared_ptr<Context> make_context(int threads) { return std::make_shared<Context>(threads); }

// Bytes of the wasm heap in use.
double bytes_in_use() { return static_cast<double>(heap_bytes()); }

// Bytes of the wasm memory, which only grows.
double memory_bytes() { return static_cast<double>(emscripten_get_heap_size()); }

}  // namespace

EMSCRIPTEN_BINDINGS(context) {
  emscripten::class_<Context>("Context").smart_ptr_constructor("Context", guarded<make_context>);
  emscripten::function("heapBytes", &bytes_in_use);
  emscripten::function("memoryBytes", &memory_bytes);
}

}  // namespace transformer::bindings
