#include "generation/grammar.h"

#include <algorithm>
#include <climits>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/tensor.h"

namespace transformer {

namespace {

constexpr int kFar = 1 << 29;  // so that two can be added

void set_bit(std::vector<std::uint32_t>& mask, int token) { mask[token / 32] |= std::uint32_t{1} << token % 32; }

}  // namespace

GrammarStates::GrammarStates(GrammarTables tables, std::shared_ptr<const TokenTrie> trie)
    : tables_(std::move(tables)), trie_(std::move(trie)), plain_((trie_->vocab() + 31) / 32) {
  const int nodes = node_count(), edges = count_of(tables_.edges) / 4;
  std::array<bool, 257> begins = {};
  for (int place = 0; place < edges; ++place) {
    const auto [first, last, target, then] = edge(place);
    require(target >= 0 && target < nodes && then < nodes && last < 256 && (last < 0 || (first >= 0 && first <= last)),
            "an edge of the grammar leads nowhere");
    if (last >= 0) begins[first] = begins[last + 1] = true;
  }
  for (int node = 0; node < nodes; ++node) {
    require(edges_end(node) >= edges_end(node - 1) && edges_end(node) <= edges, "a node of the grammar has no edges");
  }
  require(nodes > 0, "the grammar has no nodes");
  for (int byte = 0; byte < 256; ++byte) {
    if (byte == 0 || begins[byte]) byte_of_class_.push_back(static_cast<std::uint8_t>(byte));
    classes_ = count_of(byte_of_class_);
    class_[byte] = static_cast<std::uint8_t>(classes_ - 1);
  }
  for (int token : trie_->plain().tokens) set_bit(plain_, token);
  state_of_visited();
  ++visits_;
  visit(stack(0, -1));
  require(state_of_visited() == kStart, "nothing has the form of the grammar");
}

GrammarStates::Edge GrammarStates::edge(int place) const {
  const int* numbers = tables_.edges.data() + 4 * std::size_t(place);
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

int GrammarStates::key(std::vector<int> numbers, int next) {
  const auto [place, is_new] = keys_.try_emplace(std::move(numbers), next);
  if (!is_new) return place->second;
  numbers_ += place->first.size() + 16;
  if (numbers_ > kMostNumbers) fail(ErrorCode::kUnsupported, "the grammar is too ambiguous: it has too many states");
  return next;
}

int GrammarStates::stack(int node, int below) {
  const int made = key({node, below}, count_of(stacks_));
  if (made < count_of(stacks_)) return made;
  const int rest = below < 0 ? 0 : stacks_[below].distance;
  stacks_.push_back({node, below, std::min(distance_of(node) + rest, kFar), -1});
  return made;
}

void GrammarStates::visit(int stack) {
  if (std::exchange(stacks_[stack].visit, visits_) != visits_) visited_.push_back(stack);
}

// Of the stacks visited, with those that no byte separates from them.
int GrammarStates::state_of_visited() {
  State state = {{0}, nullptr, kFar, 0, false};
  for (std::size_t i = 0; i < visited_.size(); ++i) {
    const Stack top = stacks_[visited_[i]];
    if (ends(top.node)) {
      if (top.below >= 0) visit(top.below);
      state.may_end = state.may_end || top.below < 0;
    }
    bool reads = false;
    for (int place = edges_end(top.node - 1); place < edges_end(top.node); ++place) {
      const auto [first, last, target, then] = edge(place);
      reads = reads || last >= 0;
      if (last < 0) visit(stack(target, then < 0 ? top.below : stack(then, top.below)));
    }
    if (reads) state.stacks.push_back(visited_[i]);
    state.distance = std::min(state.distance, top.distance);
  }
  visited_.clear();
  state.stacks.front() = state.may_end ? -2 : -1;
  std::sort(state.stacks.begin(), state.stacks.end());
  const int made = key(state.stacks, count_of(states_));
  if (made < count_of(states_)) return made;
  numbers_ += state.stacks.size() + classes_;
  state.stacks.erase(state.stacks.begin());
  states_.push_back(std::move(state));
  steps_.resize(steps_.size() + classes_, kUnknown);
  return made;
}

int GrammarStates::after_byte(int state, std::uint8_t byte) {
  const std::size_t step = std::size_t(state) * classes_ + class_[byte];
  if (steps_[step] != kUnknown) return steps_[step];
  ++visits_;
  for (std::size_t i = 0; i < states_[state].stacks.size(); ++i) {
    const Stack top = stacks_[states_[state].stacks[i]];
    for (int place = edges_end(top.node - 1); place < edges_end(top.node); ++place) {
      const auto [first, last, target, then] = edge(place);
      if (first <= byte && byte <= last) visit(stack(target, top.below));
    }
  }
  return steps_[step] = state_of_visited();
}

int GrammarStates::after(int state, int token) {
  for (std::uint8_t byte : trie_->bytes(token)) state = after_byte(state, byte);
  return state;
}

// Adds the tokens of a part that may follow, and after which the end is at most so many bytes away.
void GrammarStates::walk(const TokenTrie::Part& part, int state, int most, Found& found) {
  path_.assign(1, state);
  for (int i = 0; i < count_of(part.nodes);) {
    const TokenTrie::Node& node = part.nodes[i];
    const int next = after_byte(path_[node.depth], node.byte);
    if (next == kDead) {
      i = node.end;
      continue;
    }
    path_.resize(node.depth + 1);
    path_.push_back(next);
    for (int token = i == 0 ? 0 : part.nodes[i - 1].tokens_end; token < node.tokens_end; ++token) {
      if (distance(next) > most) continue;
      set_bit(found.mask, part.tokens[token]);
      found.reach = std::max(found.reach, distance(next));
    }
    ++i;
  }
}

// Whether any plain letters may follow.
bool GrammarStates::takes_plain(int state, int& reach) {
  std::vector<int> states = {state}, next;
  for (int letters = 0; letters < TokenTrie::kPlainLength; ++letters) {
    next.clear();
    for (int from : states) {
      for (int byte = 0; byte < 128; ++byte) {
        if (!TokenTrie::is_plain(byte)) continue;
        const int to = after_byte(from, static_cast<std::uint8_t>(byte));
        if (to == kDead) return false;
        if (std::find(next.begin(), next.end(), to) == next.end()) next.push_back(to);
      }
      if (count_of(next) > kMostBranches) return false;
    }
    for (int to : next) reach = std::max(reach, distance(to));
    if (next == states) return true;
    std::swap(states, next);
  }
  return true;
}

void GrammarStates::find_allowed(int state, int most, Found& found) {
  found.reach = 0;
  if (int reach = 0; takes_plain(state, reach) && reach <= most) {
    found.mask = plain_;
    found.reach = reach;
  } else {
    found.mask.assign(plain_.size(), 0);
    walk(trie_->plain(), state, most, found);
  }
  walk(trie_->others(), state, most, found);
}

// After all texts of so many bytes, or fewer, either both are dead or neither, so that tokens of as many may follow
// both or neither: as of two counts in a long repetition. reach: at least the distance after each of these tokens.
int GrammarStates::alike_for(int state, int other, int& reach) {
  std::vector<std::pair<int, int>> pairs = {{state, other}};
  std::set<std::pair<int, int>> known = {pairs.front()};
  std::size_t next = 0;
  for (int length = 0; length < trie_->longest(); ++length) {
    for (const std::size_t end = pairs.size(); next < end; ++next) {
      const auto [one, two] = pairs[next];
      for (std::uint8_t byte : byte_of_class_) {
        const std::pair<int, int> after = {after_byte(one, byte), after_byte(two, byte)};
        if ((after.first == kDead) != (after.second == kDead)) return length;
        if (after.first == kDead) continue;
        const bool is_same = after.first == after.second;
        reach = std::max(reach, is_same ? states_[other].reach : distance(after.first));
        if (!is_same && known.insert(after).second) pairs.push_back(after);
      }
      if (pairs.size() > kMostPairs) return length;
    }
  }
  return trie_->longest();
}

// From a state after which the same tokens may follow, but for a few long ones.
bool GrammarStates::borrow_mask(int state) {
  for (auto lender = lenders_.rbegin(); lender != lenders_.rend(); ++lender) {
    int reach = 0;
    const int length = alike_for(state, *lender, reach);
    const std::span<const int> longer = trie_->longer_than(length);
    if (longer.size() > kMostChecked) continue;
    std::shared_ptr<const Mask> mask = states_[*lender].mask;
    std::shared_ptr<Mask> own;
    for (int token : longer) {
      const int next = after(state, token);
      if (next != kDead) reach = std::max(reach, distance(next));
      const bool is_set = (*mask)[token / 32] >> token % 32 & 1;
      if (is_set == (next != kDead)) continue;
      if (!own) own = std::make_shared<Mask>(*mask);
      (*own)[token / 32] ^= std::uint32_t{1} << token % 32;
    }
    if (own) masks_ += own->size();
    states_[state].mask = own ? std::move(own) : std::move(mask);
    states_[state].reach = reach;
    return true;
  }
  return false;
}

void GrammarStates::find_mask(int state) {
  if (masks_ > kMaskNumbers) {
    for (State& one : states_) one.mask = nullptr;
    lenders_.clear();
    masks_ = 0;
  }
  if (!borrow_mask(state)) {
    Found found;
    find_allowed(state, INT_MAX, found);  // finds more states, which may move the others
    masks_ += found.mask.size();
    states_[state].mask = std::make_shared<const Mask>(std::move(found.mask));
    states_[state].reach = found.reach;
  }
  if (lenders_.size() == kMostLenders) lenders_.erase(lenders_.begin());
  lenders_.push_back(state);
}

const std::vector<std::uint32_t>& GrammarStates::allowed(int state, int left) {
  if (!states_[state].mask) find_mask(state);
  if (states_[state].reach < left || distance(state) > left) return *states_[state].mask;
  find_allowed(state, left - 1, scarce_);
  const bool is_empty = std::all_of(scarce_.mask.begin(), scarce_.mask.end(), [](auto bits) { return bits == 0; });
  return is_empty && !may_end(state) ? *states_[state].mask : scarce_.mask;
}

}  // namespace transformer
