// The errors of the engine: a closed set of codes, each with a message for the user. Both cross to JavaScript.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace transformer {

enum class ErrorCode {
  kInvalidArgument,
  kUnsupported,
  kBadCheckpoint,
  kMissingFile,
  kOutOfMemory,
  kAborted,
  kDisposed,
  kInternal,
};

// The name of a code as JavaScript sees it, for example "invalid_argument".
std::string_view name_of(ErrorCode code);

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

// A number with at most six digits after the point, as in "0.5", "-1.5e20", "NaN" or "Infinity".
std::string text_of(double number);

// Joins strings and numbers. Streams or std::format would each add more to the wasm file than all kernels together;
// printf, with which std::to_string writes floats, 3 kB of the download.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string joined;
  auto append = [&joined](const auto& part) {
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::is_floating_point_v<Part>) {
      joined += text_of(part);
    } else if constexpr (std::is_arithmetic_v<Part>) {
      joined += std::to_string(part);
    } else {
      joined += part;
    }
  };
  (append(parts), ...);
  return joined;
}

template <class... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  throw Error(code, concat(parts...));
}

// Throws invalid_argument with the joined parts unless `condition` holds.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) fail(ErrorCode::kInvalidArgument, parts...);
}

}  // namespace transformer
