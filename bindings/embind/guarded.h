// Errors on their way out: what C++ throws becomes a JavaScript Error with one of our codes.
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

// Runs `f`. The C++ exception is gone before the JavaScript one begins, so that its memory is given back.
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
    message = "there is not enough memory for this; the engine goes on without it";
  } catch (const std::exception& error) {
    message = error.what();
  }
  throw_to_js(code, message);
}

// guarded<f> is f with errors translated.
template <auto Function>
struct Guarded;

template <class Result, class... Args, Result (*Function)(Args...)>
struct Guarded<Function> {
  static Result call(Args... args) {
    return translate_errors([&]() -> Result { return Function(std::forward<Args>(args)...); });
  }
};

template <auto Function>
constexpr auto guarded = &Guarded<Function>::call;

}  // namespace transformer::bindings
