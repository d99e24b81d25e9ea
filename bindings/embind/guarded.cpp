#include "guarded.h"

#include <new>
#include <stdexcept>

#include "base/error.h"
#include "heap.h"

namespace transformer::bindings {

using emscripten::val;

namespace {

// A JavaScript Error. Takes no memory of the engine, of which there may be none left.
val error_of(ErrorCode code, const char* message) {
  val error = val::global("Error").new_(val::u8string(message));
  error.set("code", val::u8string(name_of(code).data()));  // a literal, which ends in 0
  return error;
}

// out_of_memory, with how much did not fit beside what. Of numbers alone, since a sentence of them would take memory.
val out_of_memory(std::size_t refused) {
  val error = error_of(ErrorCode::kOutOfMemory, "the engine stays usable");
  error.set("refusedBytes", static_cast<double>(refused));
  error.set("heapBytes", static_cast<double>(heap_bytes()));
  return error;
}

}  // namespace

val handled_error() {
  try {
    throw;
  } catch (const Error& thrown) {
    return error_of(thrown.code(), thrown.what());
  } catch (const std::bad_alloc&) {
    return out_of_memory(refused_bytes());
  } catch (const std::length_error&) {  // a container longer than memory
    return out_of_memory(SIZE_MAX);
  } catch (const std::exception& thrown) {
    return error_of(ErrorCode::kInternal, thrown.what());
  }
}

}  // namespace transformer::bindings
