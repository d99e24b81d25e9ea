// A form that what is written keeps to: a pushdown automaton over bytes, whose states are found as they are reached.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/tensor.h"
#include "generation/token_trie.h"

namespace transformer {

// Nodes with edges, which read a byte or enter a rule. A rule is left at a node that ends it; the first node begins the
// form. No rule may enter itself before it reads a byte, and an end can be reached from every node.
struct GrammarTables {
  // Of each node: the end of its edges, which begin after those of the node before; the fewest bytes that lead to the
  // end of its rule; whether that may be here.
  std::vector<int> nodes = {};
  // Of each edge: the first and the last byte that it reads, and the node after it; or, with a last byte below 0, the
  // first node of a rule that it enters; then the node after that rule, or below 0 the end of the rule that the edge is
  // in.
  std::vector<int> edges = {};

  bool operator==(const GrammarTables&) const = default;
};

// A state is the set of stacks that the automaton may have after what was written (the stacks share their tails;
// Willard and Louf 2023, sections 3 and 4, for the tokens that follow). States, the steps between them and the tokens
// that may follow are remembered.
class GrammarStates {
 public:
  static constexpr int kDead = 0;   // nothing leads from here to the end of the form
  static constexpr int kStart = 1;  // nothing was written

  // unsupported, from any call, for a grammar that needs more states than can be kept
  GrammarStates(GrammarTables tables, std::shared_ptr<const TokenTrie> trie);

  const GrammarTables& tables() const { return tables_; }

  // After a byte, or the bytes of a token; one that writes no text changes nothing.
  int after_byte(int state, std::uint8_t byte);
  int after(int state, int token);

  bool may_end(int state) const { return states_[state].may_end; }
  int distance(int state) const { return states_[state].distance; }  // the fewest bytes to the end of the form

  // A bit for each token that may follow, 32 in a number. Of `left` tokens that there is room for, unless there is no
  // such: only those after which a token for each byte can still end the form.
  const std::vector<std::uint32_t>& allowed(int state, int left);

  // Whether so much is remembered that it is better forgotten, with all of this.
  bool is_large() const { return numbers_ > kMostNumbers / 2; }

 private:
  static constexpr int kUnknown = -1;
  static constexpr std::size_t kMostNumbers = 16 << 20;  // that states have: 64 MB
  static constexpr std::size_t kMaskNumbers = 2 << 20;   // that tokens which may follow have: 8 MB
  static constexpr int kMostBranches = 4;                // of a state within plain letters
  static constexpr std::size_t kMostPairs = 512;         // of states that are compared to find a mask for one
  static constexpr std::size_t kMostChecked = 2000;      // tokens by which the mask of another state may differ
  static constexpr std::size_t kMostLenders = 4;         // states whose masks may be those of others

  struct Stack {
    int node;
    int below;     // the stack after the node's rule; -1: the form ends
    int distance;  // the fewest bytes to the end of the form
    int visit;     // the last search that has found it
  };
  using Mask = std::vector<std::uint32_t>;
  struct State {
    std::vector<int> stacks;
    std::shared_ptr<const Mask> mask;  // null: not known
    int distance;
    int reach;  // no token of the mask leads to a greater distance
    bool may_end;
  };
  struct Found {
    Mask mask;
    int reach;
  };

  struct Edge {
    int first, last, target, then;
  };

  int node_count() const { return count_of(tables_.nodes) / 3; }
  int edges_end(int node) const { return node < 0 ? 0 : tables_.nodes[3 * std::size_t(node)]; }
  int distance_of(int node) const { return tables_.nodes[3 * std::size_t(node) + 1]; }
  bool ends(int node) const { return tables_.nodes[3 * std::size_t(node) + 2] != 0; }
  Edge edge(int place) const;
  int key(std::vector<int> numbers, int next);
  int stack(int node, int below);
  void visit(int stack);
  int state_of_visited();
  void walk(const TokenTrie::Part& part, int state, int most, Found& found);
  bool takes_plain(int state, int& reach);
  void find_allowed(int state, int most, Found& found);
  int alike_for(int state, int other, int& reach);
  bool borrow_mask(int state);
  void find_mask(int state);

  GrammarTables tables_;
  std::shared_ptr<const TokenTrie> trie_;
  Mask plain_;                           // of the plain tokens
  std::array<std::uint8_t, 256> class_;  // bytes that no edge tells apart
  int classes_ = 0;
  std::vector<std::uint8_t> byte_of_class_;
  std::vector<Stack> stacks_;
  std::vector<State> states_;
  std::vector<int> steps_;                // from each state, by class
  std::map<std::vector<int>, int> keys_;  // of stacks: a node, and what is below; of states: -1, or -2 where the
                                          // form may end, and their stacks
  std::size_t numbers_ = 0, masks_ = 0;
  std::vector<int> visited_, path_;
  int visits_ = 0;
  std::vector<int> lenders_;  // the states whose masks were found last, the latest at the end
  Found scarce_;              // what the last call allowed for want of room
};

}  // namespace transformer
