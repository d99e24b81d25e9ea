#include "generation/timestamp_rules.h"

#include <algorithm>
#include <cmath>

#include "base/forbidden.h"
#include "base/tensor.h"

namespace transformer {

namespace {

void forbid(std::span<float> scores) { std::fill(scores.begin(), scores.end(), kForbidden); }

// log(sum(exp(x))), from which all log-probabilities differ by the same constant.
float log_sum_exp(std::span<const float> scores, float maximum) {
  float sum = 0;
  for (float score : scores) sum += std::exp(score - maximum);
  return maximum + std::log(sum);
}

}  // namespace

void apply_timestamp_rules(const GenerationOptions& options, std::span<const int> written, std::span<float> scores) {
  const int first = options.first_timestamp_id;
  const std::span<float> words = scores.first(first), times = scores.subspan(first);
  const int end = *std::min_element(options.eos_token_ids.begin(), options.eos_token_ids.end());
  if (first > 0) words.back() = kForbidden;  // the token that switches timestamps off

  const auto is_time = [&](int place) { return written[place] >= first; };
  const int length = count_of(written);
  const bool is_after_time = length > 0 && is_time(length - 1);
  // A segment ends with a timestamp, and the next one starts with another: they come in pairs, but for the first one.
  const bool is_after_pair = is_after_time && (length == 1 || is_time(length - 2));
  if (is_after_pair) {
    forbid(times);
  } else if (is_after_time) {
    forbid(scores.first(std::min(end, first)));
  }
  for (int place = length - 1; place >= 0; --place) {
    if (!is_time(place)) continue;
    const bool may_repeat = is_after_time && !is_after_pair;
    forbid(times.first(written[place] - first + (may_repeat ? 0 : 1)));
    break;
  }
  if (length == 0) {
    forbid(words);
    const int last = options.max_initial_timestamp_index;
    if (last >= 0 && last + 1 < count_of(times)) forbid(times.subspan(last + 1));
  }

  if (times.empty() || words.empty()) return;
  const float best_word = *std::max_element(words.begin(), words.end());
  const float best_time = *std::max_element(times.begin(), times.end());
  // Together, the timestamps may be more likely than any word.
  if (best_time != kForbidden && log_sum_exp(times, best_time) > best_word) forbid(words);
}

}  // namespace transformer
