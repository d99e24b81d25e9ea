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

// The JavaScript error for the C++ exception that is being handled. One function for all calls: a handler in each of
// them would be a part of the download as often.
emscripten::val handled_error();

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
  } catch (...) {
    error = handled_error();
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
