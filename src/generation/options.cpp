#include "generation/options.h"

#include <cmath>

#include "base/error.h"

namespace transformer {

void validate(const GenerationOptions& options, int vocab) {
  require(options.max_new_tokens > 0, "maxNewTokens must be at least 1, got ", options.max_new_tokens);
  require(options.min_new_tokens >= 0, "minNewTokens must not be negative, got ", options.min_new_tokens);
  require(options.num_beams >= 1, "numBeams must be at least 1, got ", options.num_beams);
  require(options.num_return_sequences >= 1, "numReturnSequences must be at least 1, got ",
          options.num_return_sequences);
  if (options.num_beams > 1) {
    require(!options.do_sample, "doSample and numBeams > 1 cannot be combined");
    require(options.num_return_sequences <= options.num_beams, "numReturnSequences (", options.num_return_sequences,
            ") cannot exceed numBeams (", options.num_beams, ")");
  } else {
    require(options.do_sample || options.num_return_sequences == 1,
            "greedy decoding has one result; numReturnSequences > 1 needs doSample or numBeams");
  }
  require(std::isfinite(options.length_penalty), "lengthPenalty must be a finite number");
  require(options.temperature > 0 && std::isfinite(options.temperature), "temperature must be positive, got ",
          options.temperature);
  require(options.top_k >= 0, "topK must not be negative, got ", options.top_k);
  require(options.top_p > 0 && options.top_p <= 1, "topP must be in (0, 1], got ", options.top_p);
  require(options.typical_p > 0 && options.typical_p <= 1, "typicalP must be in (0, 1], got ", options.typical_p);
  require(options.repetition_penalty > 0 && std::isfinite(options.repetition_penalty),
          "repetitionPenalty must be positive, got ", options.repetition_penalty);
  require(options.no_repeat_ngram_size >= 0, "noRepeatNgramSize must not be negative, got ",
          options.no_repeat_ngram_size);
  auto check_id = [vocab](int id, const char* name) {
    require(id >= 0 && id < vocab, name, " ", id, " is outside of the vocabulary of ", vocab);
  };
  for (int id : options.eos_token_ids) check_id(id, "the end token");
  for (const auto& words : options.bad_words_ids) {
    require(!words.empty(), "badWordsIds holds an empty list");
    for (int id : words) check_id(id, "the bad word");
  }
  for (int id : options.suppress_tokens) check_id(id, "the suppressed token");
  for (int id : options.begin_suppress_tokens) check_id(id, "the suppressed first token");
  for (int id : options.shortlist) check_id(id, "the shortlisted token");
  if (options.forced_bos_token_id >= 0) check_id(options.forced_bos_token_id, "forcedBosTokenId");
  if (options.forced_eos_token_id >= 0) check_id(options.forced_eos_token_id, "forcedEosTokenId");
}

}  // namespace transformer
