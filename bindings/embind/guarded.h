// Translates C++ exceptions into JavaScript Errors with one of our codes.
#pragma once

#include <emscripten/val.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "heap.h"

namespace transformer::bindings {

// A JavaScript Error. Takes no memory of the engine, of which there may be none left.
inline emscripten::val error_of(ErrorCode code, const char* message) {
  using emscripten::val;
  val error = val::global("Error").new_(val::u8string(message));
  error.set("code", val::u8string(name_of(code).data()));  // a literal, which ends in 0
  return error;
}

// out_of_memory, with how much did not fit beside what. Of numbers alone, since a sentence of them would take memory.
inline emscripten::val out_of_memory(std::size_t refused) {
  emscripten::val error = error_of(ErrorCode::kOutOfMemory, "the engine stays usable");
  error.set("refusedBytes", static_cast<double>(refused));
  error.set("heapBytes", static_cast<double>(heap_bytes()));
  return error;
}

// Throws std::bad_alloc unless a little memory is left. Embind converts arguments before a call and results after it,
// where nothing translates errors.
inline void require_reserve() {
  constexpr std::size_t kReserve = 16 * 1024;
  void* volatile reserve = std::malloc(kReserve);  // volatile: otherwise the compiler leaves both calls out
  if (!reserve) throw std::bad_alloc();
  std::free(reserve);
}

// Calls `f`. The JavaScript error is thrown outside of the catch blocks, after the C++ exception has been freed.
template <class F>
auto translate_errors(const F& f) {
  emscripten::val error = emscripten::val::undefined();
  try {
    require_reserve();
    if constexpr (std::is_void_v<decltype(f())>) {
      return f();
    } else {
      auto result = f();
      require_reserve();
      return result;
    }
  } catch (const Error& thrown) {
    error = error_of(thrown.code(), thrown.what());
  } catch (const std::bad_alloc&) {
    error = out_of_memory(refused_bytes());
  } catch (const std::length_error&) {  // a container longer than memory
    error = out_of_memory(SIZE_MAX);
  } catch (const std::exception& thrown) {
    error = error_of(ErrorCode::kInternal, thrown.what());
  }
  error.throw_();
}

// guarded<f> calls f, a function or a member function, and translates its errors.
template <auto Function>
struct Guarded;

template <class Result, class... Args, Result (*Function)(Args...)>
struct Guarded<Function> {
  static Result call(Args... args) {
    return translate_errors([&]() -> Result { return Function(std::forward<Args>(args)...); });
  }
};

template <class Class, class Result, class... Args, Result (Class::*Function)(Args...)>
struct Guarded<Function> {
  static Result call(Class& self, Args... args) {
    return translate_errors([&]() -> Result { return (self.*Function)(std::forward<Args>(args)...); });
  }
};

template <class Class, class Result, class... Args, Result (Class::*Function)(Args...) const>
struct Guarded<Function> {
  static Result call(const Class& self, Args... args) {
    return translate_errors([&]() -> Result { return (self.*Function)(std::forward<Args>(args)...); });
  }
};

template <auto Function>
constexpr auto guarded = &Guarded<Function>::call;

}  // namespace transformer::bindings
