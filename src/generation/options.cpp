#include "generation/options.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace transformer {

namespace {

void require_id(int id, int vocab, const char* name) {
  require(id >= 0 && id < vocab, name, " ", id, " is outside of the vocabulary of ", vocab);
}

void check(const char* name, double value, const Range& range) {
  require(range.holds(value), name, " ", range.text, ", got ", value);
}

void check_ids(const char* name, const std::vector<int>& ids, int vocab) {
  for (int id : ids) require_id(id, vocab, name);
}

void check_ids(const char* name, const std::vector<std::vector<double>>& lists, int vocab) {
  for (const std::vector<double>& list : lists) {
    require(list.size() >= 2, name, " needs at least one token id with each bias");
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
      require(list[i] >= 0 && list[i] < vocab, name, " ", list[i], " is outside of the vocabulary of ", vocab);
    }
    require(std::abs(list.back()) <= std::numeric_limits<float>::max(), name, " must have finite biases, got ",
            list.back());
  }
}

void check_ids(const char* name, const std::vector<double>& numbers, int) {
  require(numbers.empty() || (numbers.size() == 2 && kNotNegative.holds(numbers[0]) && kPositive.holds(numbers[1])),
          name, " must be the number of tokens after which it begins, and a positive factor");
}

void check_ids(const char* name, const std::vector<std::vector<int>>& lists, int vocab) {
  for (const std::vector<int>& ids : lists) {
    require(!ids.empty(), name, " must not contain an empty list");
    check_ids(name, ids, vocab);
  }
}

// Checks the option of one line of the table.
template <class F>
void check_field(const GenerationOptions& options, int vocab, const F& field) {
  const auto& value = options.*(field.member);
  using Value = std::remove_cvref_t<decltype(value)>;
  if constexpr (requires { field.range; }) {
    check(field.name, value, field.range);
  } else if constexpr (!std::is_scalar_v<Value>) {
    if (std::string_view(field.name) == "forcedDecoderIds") return;  // pairs, checked below
    check_ids(field.name, value, vocab);
  }
}

}  // namespace

void validate(const GenerationOptions& options, int vocab) {
  static constexpr auto kFields = fields_of(static_cast<const GenerationOptions*>(nullptr));
  std::apply([&](const auto&... fields) { (check_field(options, vocab, fields), ...); }, kFields);
  if (options.num_beams > 1) {
    require(options.num_beams % options.num_beam_groups == 0, "numBeams (", options.num_beams,
            ") must be a multiple of numBeamGroups (", options.num_beam_groups, ")");
    require(options.num_beam_groups == 1 || !options.do_sample, "doSample cannot be combined with numBeamGroups > 1");
    require(options.num_return_sequences <= options.num_beams, "numReturnSequences (", options.num_return_sequences,
            ") cannot exceed numBeams (", options.num_beams, ")");
  } else {
    require(options.do_sample || options.num_return_sequences == 1,
            "greedy decoding has one result; numReturnSequences > 1 needs doSample or numBeams > 1");
    require(options.num_beam_groups == 1, "numBeamGroups (", options.num_beam_groups, ") needs as many numBeams");
  }
  require(options.diversity_penalty == 0.0f || options.num_beam_groups > 1,
          "diversityPenalty needs numBeamGroups above 1");
  for (const std::vector<int>& forced : options.forced_decoder_ids) {
    require(forced.size() == 2 && forced[0] >= 1, "forcedDecoderIds must be pairs of a place, from 1 on, and an id");
    require_id(forced[1], vocab, "forcedDecoderIds");
  }
  if (options.forced_bos_token_id >= 0) require_id(options.forced_bos_token_id, vocab, "forcedBosTokenId");
  if (options.forced_eos_token_id >= 0) require_id(options.forced_eos_token_id, vocab, "forcedEosTokenId");
  if (options.first_timestamp_id >= 0) {
    require_id(options.first_timestamp_id, vocab, "firstTimestampId");
    require(!options.eos_token_ids.empty() && options.shortlist.empty(),
            "firstTimestampId needs an eosTokenId and cannot be combined with a shortlist");
  }
}

}  // namespace transformer
