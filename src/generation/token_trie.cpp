#include "generation/token_trie.h"

#include <algorithm>

#include "base/error.h"

namespace transformer {

namespace {

// After all that were added before, in the order of their bytes. open: the nodes that lead to the last one.
void add(std::span<const std::uint8_t> bytes, int id, TokenTrie::Part& part, std::vector<int>& open) {
  std::vector<TokenTrie::Node>& nodes = part.nodes;
  std::size_t shared = 0;
  while (shared < open.size() && shared < bytes.size() && nodes[open[shared]].byte == bytes[shared]) ++shared;
  for (std::size_t i = shared; i < open.size(); ++i) nodes[open[i]].end = count_of(nodes);
  open.resize(shared);
  for (std::size_t i = shared; i < bytes.size(); ++i) {
    open.push_back(count_of(nodes));
    nodes.push_back({0, count_of(part.tokens), static_cast<int>(i), bytes[i]});
  }
  part.tokens.push_back(id);
  nodes.back().tokens_end = count_of(part.tokens);
}

void finish(TokenTrie::Part& part, const std::vector<int>& open) {
  for (int node : open) part.nodes[node].end = count_of(part.nodes);
}

}  // namespace

TokenTrie::TokenTrie(std::vector<int> ids, std::vector<int> ends, std::vector<std::uint8_t> bytes, int vocab)
    : ends_(std::move(ends)), bytes_(std::move(bytes)), places_(vocab, -1) {
  require(ids.size() == ends_.size(), "expected the bytes of ", ids.size(), " tokens, got ", ends_.size());
  std::vector<int> open_plain, open_others;
  for (int place = 0; place < count_of(ids); ++place) {
    const int id = ids[place], begin = place == 0 ? 0 : ends_[place - 1];
    require(id >= 0 && id < vocab && begin < ends_[place] && ends_[place] <= count_of(bytes_), "token ", id,
            " is outside of the vocabulary of ", vocab, ", or has no bytes");
    places_[id] = place;
    const auto piece = bytes_at(place);
    if (piece.size() <= kPlainLength && std::all_of(piece.begin(), piece.end(), is_plain)) {
      add(piece, id, plain_, open_plain);
    } else {
      add(piece, id, others_, open_others);
    }
  }
  finish(plain_, open_plain);
  finish(others_, open_others);
  by_length_ = std::move(ids);
  std::sort(by_length_.begin(), by_length_.end(), [this](int a, int b) {
    const auto [of_a, of_b] = std::pair(this->bytes(a).size(), this->bytes(b).size());
    return of_a != of_b ? of_a > of_b : a < b;
  });
}

std::span<const int> TokenTrie::longer_than(int length) const {
  const auto is_longer = [&](int id) { return count_of(bytes(id)) > length; };
  return {by_length_.begin(), std::partition_point(by_length_.begin(), by_length_.end(), is_longer)};
}

std::span<const std::uint8_t> TokenTrie::bytes(int id) const {
  if (id < 0 || id >= vocab() || places_[id] < 0) return {};
  return bytes_at(places_[id]);
}

std::span<const std::uint8_t> TokenTrie::bytes_at(int place) const {
  const int begin = place == 0 ? 0 : ends_[place - 1];
  return std::span<const std::uint8_t>(bytes_).subspan(begin, ends_[place] - begin);
}

}  // namespace transformer
