#include "transformer/head_states.h"

#include <algorithm>

#include "base/forbidden.h"
#include "kernels/elementwise.h"

namespace transformer {

namespace {

bool is_real(const ScoreBias& padding, int sequence, int time) {
  return !padding.data || padding.data[sequence * padding.batch + time * padding.key] != kForbidden;
}

// The place of the last token that the head looks for.
int last_token(const OutputHead& head, const HeadSource& from, int sequence) {
  const Sequences& source = from.source;
  const Segments ids = source.segments();
  const bool is_wanted = head.reads() == HeadInput::kLastIs;
  const bool knows_id = head.id() >= 0;
  require(!knows_id || !source.ids.empty(), "the classifier reads the state at a token: pass token ids, not vectors");
  int time = ids.length(sequence) - 1;
  const auto is_it = [&] {
    if (!knows_id) return is_real(from.padding, sequence, time);
    return (source.ids[ids.first(sequence) + time] == head.id()) == is_wanted;
  };
  while (time >= 0 && !is_it()) --time;
  require(time >= 0 || !is_wanted, "sequence ", sequence, " does not have the token ", head.id(),
          ", at which the classifier reads the state");
  require(time >= 0, "sequence ", sequence, " has nothing but padding, so the classifier has no state to read");
  return time;
}

// The place of the first token with the head's id, or with the largest one.
int first_token(const OutputHead& head, const HeadSource& from, int sequence) {
  const Segments ids = from.source.segments();
  require(!from.source.ids.empty(), "the head reads the state at a token: pass token ids, not vectors");
  const int* begin = from.source.ids.data() + ids.first(sequence);
  const int* end = begin + ids.length(sequence);
  const int* found = head.id() < 0 ? std::max_element(begin, end) : std::find(begin, end, head.id());
  require(found != end, "sequence ", sequence, " does not have the token ", head.id(), ", at which the head reads");
  return static_cast<int>(found - begin);
}

// The mean of the states of real tokens, from `begin` on.
void take_mean(const HeadSource& from, int sequence, int begin, float* mean) {
  const int first = from.states.first(sequence), width = from.hidden.cols;
  int count = 0;
  std::fill_n(mean, width, 0.0f);
  for (int time = begin; time < from.states.length(sequence); ++time) {
    if (!is_real(from.padding, sequence, time)) continue;
    add_row(from.hidden.row(first + time), mean, width);
    ++count;
  }
  require(count > 0, "sequence ", sequence, " has nothing but padding, so its states have no mean");
  divide_row(mean, mean, width, static_cast<float>(count));
}

// The place of the token whose state the head reads.
int token_for(const OutputHead& head, const HeadSource& from, int sequence) {
  switch (head.reads()) {
    case HeadInput::kFirstIs: return first_token(head, from, sequence);
    case HeadInput::kLastIs:
    case HeadInput::kLastIsNot: return last_token(head, from, sequence);
    default: return 0;
  }
}

}  // namespace

Tensor states_for(const OutputHead& head, const HeadSource& from) {
  Tensor rows({from.source.batch, head.in_features()});
  for (int sequence = 0; sequence < from.source.batch; ++sequence) {
    float* row = rows.matrix().row(sequence);
    require(from.states.length(sequence) > 0, "the sequence is empty, so it has no first hidden state");
    if (head.reads() == HeadInput::kPool) {
      std::copy_n(from.pooled.row(sequence), from.pooled.cols, row);
      continue;
    }
    if (head.reads() == HeadInput::kMean) {
      take_mean(from, sequence, head.prefix(), row);
      continue;
    }
    const int time = token_for(head, from, sequence);
    require(time < from.states.length(sequence), "the sequence has no state at the token that the classifier reads");
    std::copy_n(from.hidden.row(from.states.first(sequence) + time), from.hidden.cols, row);
    if (head.reads() == HeadInput::kFirstAndMean) take_mean(from, sequence, head.prefix(), row + from.hidden.cols);
  }
  return rows;
}

}  // namespace transformer
