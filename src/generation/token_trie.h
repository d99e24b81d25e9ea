// The tokens of a vocabulary, by the bytes that they write.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/tensor.h"

namespace transformer {

class TokenTrie {
 public:
  // In preorder: a walk that a node ends goes on at its `end`.
  struct Node {
    int end;         // the node after its last descendant
    int tokens_end;  // of those that end here, after the tokens of the node before
    int depth;       // bytes before its own
    std::uint8_t byte;
  };

  // Of tokens that are plain letters alone, and of all others: most states of a form within a text take all of the
  // former, so that only the latter are walked.
  struct Part {
    std::vector<Node> nodes = {};
    std::vector<int> tokens = {};
  };

  static constexpr int kPlainLength = 16;  // letters at most
  static constexpr bool is_plain(int byte) { return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\'; }

  // ids: in the order of their bytes, which follow each other and end at `ends`; the rest of the vocabulary writes no
  // text. invalid_argument for an id outside of the vocabulary, or without bytes.
  TokenTrie(std::vector<int> ids, std::vector<int> ends, std::vector<std::uint8_t> bytes, int vocab);

  int vocab() const { return static_cast<int>(places_.size()); }
  // Empty for one that writes no text.
  std::span<const std::uint8_t> bytes(int id) const;
  // Bytes of the longest one.
  int longest() const { return by_length_.empty() ? 0 : count_of(bytes(by_length_.front())); }
  // Those of more bytes.
  std::span<const int> longer_than(int length) const;
  const Part& plain() const { return plain_; }
  const Part& others() const { return others_; }

 private:
  std::span<const std::uint8_t> bytes_at(int place) const;

  std::vector<int> ends_;
  std::vector<std::uint8_t> bytes_;
  std::vector<int> places_;     // of each id, in the order of their bytes; -1: none
  std::vector<int> by_length_;  // ids, the longest first
  Part plain_, others_;
};

}  // namespace transformer
