#include "base/error.h"

#include <cmath>
#include <cstdint>

namespace transformer {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid_argument";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kBadCheckpoint: return "bad_checkpoint";
    case ErrorCode::kMissingFile: return "missing_file";
    case ErrorCode::kOutOfMemory: return "out_of_memory";
    case ErrorCode::kAborted: return "aborted";
    case ErrorCode::kDisposed: return "disposed";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

std::string text_of(double number) {
  if (std::isnan(number)) return "NaN";
  std::string text = number < 0 ? "-" : "";
  double rest = std::abs(number);
  if (std::isinf(rest)) return text + "Infinity";
  int exponent = 0;
  if (rest >= 1e12) {
    for (; rest >= 10.0; rest /= 10.0) ++exponent;
  } else if (rest > 0.0 && rest < 1e-3) {
    for (; rest < 1.0; rest *= 10.0) --exponent;
  }
  constexpr std::int64_t kUnit = 1'000'000;
  const auto millionths = static_cast<std::int64_t>(rest * kUnit + 0.5);
  text += std::to_string(millionths / kUnit);
  std::string decimals =
      std::to_string(kUnit + millionths % kUnit);  // a 1 first, which keeps the zeros behind the point
  decimals.erase(decimals.find_last_not_of('0') + 1);
  decimals.front() = '.';
  if (decimals.size() > 1) text += decimals;
  if (exponent != 0) text += concat("e", exponent);
  return text;
}

}  // namespace transformer
