#include "generation/sequence_model.h"

#include <algorithm>

namespace transformer {

void Decoding::score(std::span<const int>, const Segments&, std::span<const int>, std::span<float>, Workspace&) {
  fail(ErrorCode::kUnsupported, "a recurrent model cannot score texts");
}

JoinedIds::JoinedIds(const std::vector<std::vector<int>>& sequences) {
  for (const std::vector<int>& sequence : sequences) {
    require(!sequence.empty(), "a source is empty: it needs at least one token");
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    offsets.push_back(count_of(ids));
    longest = std::max(longest, count_of(sequence));
  }
}

PaddedIds::PaddedIds(const std::vector<std::vector<int>>& sequences)
    : batch(static_cast<int>(sequences.size())), time(0) {
  for (const std::vector<int>& sequence : sequences) {
    require(!sequence.empty(), "a source is empty: it needs at least one token");
    lengths.push_back(static_cast<int>(sequence.size()));
    time = std::max(time, lengths.back());
  }
  for (const std::vector<int>& sequence : sequences) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    ids.insert(ids.end(), static_cast<std::size_t>(time) - sequence.size(), sequence.back());  // any token
  }
}

}  // namespace transformer
