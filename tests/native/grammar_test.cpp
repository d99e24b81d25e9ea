// src/generation/grammar: the tokens that may follow, against a walk of each token by itself.
#include "generation/grammar.h"

#include <gmock/gmock.h>

#include <numeric>
#include <string>

#include "base/random.h"
#include "support/errors.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

std::shared_ptr<const TokenTrie> trie_of(std::vector<std::string> pieces, int vocab) {
  std::vector<int> ids(pieces.size()), ends;
  std::iota(ids.begin(), ids.end(), 1);  // token 0 writes nothing
  std::sort(ids.begin(), ids.end(), [&](int a, int b) { return pieces[a - 1] < pieces[b - 1]; });
  std::vector<std::uint8_t> bytes;
  for (int id : ids) {
    bytes.insert(bytes.end(), pieces[id - 1].begin(), pieces[id - 1].end());
    ends.push_back(static_cast<int>(bytes.size()));
  }
  return std::make_shared<TokenTrie>(ids, ends, bytes, vocab);
}

// list ::= "(" (item ("," item)*)? ")", item ::= [a-c]+ | list | "\"" [ -~]{0,3} "\"", by hand
GrammarTables lists() {
  constexpr int kByte = -1;  // nothing after a byte
  struct Node {
    std::vector<std::vector<int>> edges;
    int distance;
    bool ends;
  };
  const std::vector<Node> nodes = {
      {{{'(', '(', 1, kByte}}, 2, false},                                              // 0: list
      {{{')', ')', 2, kByte}, {0, -1, 3, 4}}, 1, false},                               // 1: the first item, or none
      {{}, 0, true},                                                                   // 2: the end of a rule
      {{{'a', 'c', 5, kByte}, {0, -1, 0, -1}, {'"', '"', 6, kByte}}, 1, false},        // 3: item
      {{{')', ')', 2, kByte}, {',', ',', 7, kByte}}, 1, false},                        // 4: after an item
      {{{'a', 'c', 5, kByte}}, 0, true},                                               // 5: after a letter
      {{{' ', '!', 8, kByte}, {'#', '~', 8, kByte}, {'"', '"', 2, kByte}}, 1, false},  // 6: in a text
      {{{0, -1, 3, 4}}, 2, false},                                                     // 7: after a comma
      {{{' ', '!', 9, kByte}, {'#', '~', 9, kByte}, {'"', '"', 2, kByte}}, 1, false},
      {{{' ', '!', 10, kByte}, {'#', '~', 10, kByte}, {'"', '"', 2, kByte}}, 1, false},
      {{{'"', '"', 2, kByte}}, 1, false},
  };
  GrammarTables tables;
  for (const Node& node : nodes) {
    for (const auto& edge : node.edges) tables.edges.insert(tables.edges.end(), edge.begin(), edge.end());
    tables.nodes.insert(tables.nodes.end(), {static_cast<int>(tables.edges.size() / 4), node.distance, node.ends});
  }
  return tables;
}

bool allows(const std::vector<std::uint32_t>& mask, int token) { return mask[token / 32] >> token % 32 & 1; }

TEST(GrammarTest, AllowsTheTokensThatMayFollow) {
  Random random(3);
  std::vector<std::string> pieces;
  for (const char byte : std::string("(),\"abcdxyz ~#!")) pieces.emplace_back(1, byte);
  const std::string letters = "(),\"abcd~~";
  for (int i = 0; i < 300; ++i) {
    std::string piece;
    for (int length = random_int(random, 2, 6); length > 0; --length) piece += letters[random_int(random, 0, 9)];
    pieces.push_back(piece);
  }
  const int vocab = static_cast<int>(pieces.size()) + 1;
  const auto trie = trie_of(pieces, vocab);
  GrammarStates states(lists(), trie);
  int ended = 0;
  for (int text = 0; text < 60; ++text) {
    int state = GrammarStates::kStart;
    for (int left = 40; left > 0; --left) {
      const std::vector<std::uint32_t> all = states.allowed(state, 1000), few = states.allowed(state, left);
      std::vector<int> able;
      for (int token = 0; token < vocab; ++token) {
        int next = state;
        for (std::uint8_t byte : trie->bytes(token)) next = states.after_byte(next, byte);
        const bool follows = token > 0 && next != GrammarStates::kDead;
        ASSERT_EQ(allows(all, token), follows) << token;
        ASSERT_EQ(allows(few, token), follows && states.distance(next) < left) << token;
        if (allows(few, token)) able.push_back(token);
      }
      if (able.empty() || (states.may_end(state) && random.uniform() < 0.3)) break;
      state = states.after(state, able[static_cast<std::size_t>(random.uniform() * able.size())]);
    }
    EXPECT_TRUE(states.may_end(state));  // there was room for an end
    ended += states.may_end(state);
  }
  EXPECT_EQ(ended, 60);
  EXPECT_EQ(states.after(GrammarStates::kStart, 0), GrammarStates::kStart);
}

// [a-d]{count}, with the distances that lead to its end.
GrammarTables counted(int count) {
  GrammarTables tables;
  for (int node = 0; node <= count; ++node) {
    if (node < count) tables.edges.insert(tables.edges.end(), {'a', 'd', node + 1, -1});
    tables.nodes.insert(tables.nodes.end(), {std::min(node + 1, count), count - node, node == count});
  }
  return tables;
}

// A state takes the mask of another one with the same texts before it: it has to be that of a walk all the same.
TEST(GrammarTest, AllowsTheSameTokensAtEveryPlaceOfARepetition) {
  Random random(6);
  std::vector<std::string> pieces = {"a", "b", "c", "d", "e"};
  for (int i = 0; i < 400; ++i) {
    std::string piece;
    const int most = i % 40 == 0 ? 50 : 8;
    for (int length = random_int(random, 2, most); length > 0; --length)
      piece += "abcdabcdabcde"[random_int(random, 0, 12)];
    pieces.push_back(piece);
  }
  pieces.push_back(std::string(48, 'a'));
  const int vocab = count_of(pieces) + 1, count = 120;
  const auto trie = trie_of(pieces, vocab);
  GrammarStates states(counted(count), trie);
  for (int place = 0, state = GrammarStates::kStart; place <= count; ++place) {
    for (int left : {1000, count - place + 1, count - place}) {
      const std::vector<std::uint32_t> mask = states.allowed(state, left);
      for (int token = 1; token < vocab; ++token) {
        const std::string& piece = pieces[token - 1];
        const bool follows = piece.find('e') == std::string::npos && place + count_of(piece) <= count;
        ASSERT_EQ(allows(mask, token), follows) << place << " " << piece;
      }
    }
    if (place < count) state = states.after_byte(state, 'a');
  }
}

TEST(GrammarTest, KnowsTheDistanceToTheEnd) {
  GrammarStates states(lists(), trie_of({"("}, 2));
  int state = GrammarStates::kStart;
  EXPECT_EQ(states.distance(state), 2);
  for (int depth = 1; depth < 200; ++depth) {
    state = states.after_byte(state, '(');
    ASSERT_EQ(states.distance(state), depth);
    ASSERT_FALSE(states.may_end(state));
  }
  for (int depth = 199; depth > 0; --depth) state = states.after_byte(state, ')');
  EXPECT_TRUE(states.may_end(state));
  EXPECT_EQ(states.after_byte(state, ')'), GrammarStates::kDead);
}

TEST(GrammarTest, RefusesDamagedTables) {
  const auto trie = trie_of({"a"}, 2);
  const auto message = [&](const GrammarTables& tables) { return message_of([&] { GrammarStates(tables, trie); }); };
  EXPECT_THAT(message({}), HasSubstr("no nodes"));
  EXPECT_THAT(message({{0, 0, 0}, {}}), HasSubstr("nothing has"));
  EXPECT_THAT(message({{1, 0, 1}, {}}), HasSubstr("has no edges"));
  const std::vector<std::vector<int>> edges = {{0, 256, 0, -1}, {5, 4, 0, -1}, {0, 1, 1, -1}, {0, -1, 0, 1}};
  for (const std::vector<int>& edge : edges) EXPECT_THAT(message({{1, 0, 1}, edge}), HasSubstr("leads nowhere"));
}

TEST(TokenTrieTest, RefusesWhatIsNoVocabulary) {
  for (const auto& [ids, ends] : std::vector<std::pair<std::vector<int>, std::vector<int>>>{
           {{2}, {1}}, {{-1}, {1}}, {{0}, {2}}, {{0}, {0}}, {{0, 1}, {1}}}) {
    EXPECT_EQ(code_of([&] { TokenTrie(ids, ends, {'a'}, 2); }), ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace transformer
