// Translates C++ exceptions into JavaScript Errors with one of our codes.
#pragma once

#include <emscripten/val.h>

#include <new>
#include <string>
#include <utility>

#include "base/error.h"

namespace transformer::bindings {

[[noreturn]] inline void throw_to_js(ErrorCode code, const std::string& message) {
  emscripten::val error = emscripten::val::global("Error").new_(message);
  error.set("code", std::string(name_of(code)));
  error.throw_();
}

// Calls `f`. The JavaScript error is thrown outside of the catch blocks, after the C++ exception has been freed.
template <class F>
auto translate_errors(const F& f) {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  try {
    return f();
  } catch (const Error& error) {
    code = error.code();
    message = error.what();
  } catch (const std::bad_alloc&) {
    code = ErrorCode::kOutOfMemory;
    message = "there is not enough memory for this call; the engine stays usable";
  } catch (const std::exception& error) {
    message = error.what();
  }
  throw_to_js(code, message);
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
