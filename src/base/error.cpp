#include "base/error.h"

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

}  // namespace transformer
