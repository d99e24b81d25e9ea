// The error that a call throws.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace transformer::testing {

// The error that `failing` throws; fails the test where it throws none.
template <class F>
Error error_of(const F& failing) {
  try {
    failing();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::kInternal, "");
}

template <class F>
ErrorCode code_of(const F& failing) {
  return error_of(failing).code();
}

template <class F>
std::string message_of(const F& failing) {
  return error_of(failing).what();
}

}  // namespace transformer::testing
