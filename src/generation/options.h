// How text is generated. Names and defaults are those of Hugging Face's GenerationConfig.
#pragma once

#include <cmath>
#include <tuple>
#include <vector>

#include "base/names.h"

namespace transformer {

// When a beam search has found enough: with num_beams finished hypotheses, when no live beam can beat them judged by
// its present length, or judged by the greatest length it may reach.
enum class EarlyStopping { kYes, kNo, kNever };

constexpr auto enum_names(EarlyStopping) {
  return std::to_array<Named<EarlyStopping>>(
      {{"true", EarlyStopping::kYes}, {"false", EarlyStopping::kNo}, {"never", EarlyStopping::kNever}});
}

struct GenerationOptions {
  int max_new_tokens = 20;
  int min_new_tokens = 0;
  std::vector<int> eos_token_ids;

  int num_beams = 1;
  int num_return_sequences = 1;
  float length_penalty = 1.0f;  // a hypothesis scores sum(log p) / length^length_penalty
  EarlyStopping early_stopping = EarlyStopping::kNo;

  bool do_sample = false;
  float temperature = 1.0f;
  int top_k = 0;           // keep the k most likely tokens; 0: all
  float top_p = 1.0f;      // keep the most likely tokens that together have this probability
  float typical_p = 1.0f;  // keep the tokens of the most typical information that together have this probability
  double seed = 0;         // an integer, as large as JavaScript's numbers are exact

  float repetition_penalty = 1.0f;
  int no_repeat_ngram_size = 0;
  std::vector<std::vector<int>> bad_words_ids;
  int forced_bos_token_id = -1;  // none where it is negative
  int forced_eos_token_id = -1;
  std::vector<int> suppress_tokens;        // never chosen
  std::vector<int> begin_suppress_tokens;  // not the first that is chosen
  bool renormalize_logits = false;

  // Only these ids, the end tokens and the forced ones are chosen; none: any of the vocabulary.
  std::vector<int> shortlist;
};

// What a number must be, in words and as a test.
struct Range {
  const char* text;
  bool (*holds)(double);
};
inline constexpr Range kAny = {"must be a finite number", [](double x) { return std::isfinite(x); }};
inline constexpr Range kNotNegative = {"must not be negative", [](double x) { return x >= 0; }};
inline constexpr Range kAtLeastOne = {"must be at least 1", [](double x) { return x >= 1; }};
inline constexpr Range kPositive = {"must be positive", [](double x) { return x > 0 && std::isfinite(x); }};
inline constexpr Range kProbability = {"must be in (0, 1]", [](double x) { return x > 0 && x <= 1; }};

// Every option under the name that users have for it, with its range where it is a number; lists of ids must be in the
// vocabulary. JavaScript and validate() both read this table, so an option is a field above and a line here.
inline constexpr auto kGenerationOptions = [] {
  using O = GenerationOptions;
  return std::tuple{
      std::tuple{"maxNewTokens", &O::max_new_tokens, kAtLeastOne},
      std::tuple{"minNewTokens", &O::min_new_tokens, kNotNegative},
      std::tuple{"eosTokenId", &O::eos_token_ids},
      std::tuple{"numBeams", &O::num_beams, kAtLeastOne},
      std::tuple{"numReturnSequences", &O::num_return_sequences, kAtLeastOne},
      std::tuple{"lengthPenalty", &O::length_penalty, kAny},
      std::tuple{"earlyStopping", &O::early_stopping},
      std::tuple{"doSample", &O::do_sample},
      std::tuple{"temperature", &O::temperature, kPositive},
      std::tuple{"topK", &O::top_k, kNotNegative},
      std::tuple{"topP", &O::top_p, kProbability},
      std::tuple{"typicalP", &O::typical_p, kProbability},
      std::tuple{"seed", &O::seed, kNotNegative},
      std::tuple{"repetitionPenalty", &O::repetition_penalty, kPositive},
      std::tuple{"noRepeatNgramSize", &O::no_repeat_ngram_size, kNotNegative},
      std::tuple{"badWordsIds", &O::bad_words_ids},
      std::tuple{"forcedBosTokenId", &O::forced_bos_token_id, kAny},
      std::tuple{"forcedEosTokenId", &O::forced_eos_token_id, kAny},
      std::tuple{"suppressTokens", &O::suppress_tokens},
      std::tuple{"beginSuppressTokens", &O::begin_suppress_tokens},
      std::tuple{"renormalizeLogits", &O::renormalize_logits},
      std::tuple{"shortlist", &O::shortlist},
  };
}();

// Throws invalid_argument in the users' names; vocab bounds the token ids.
void validate(const GenerationOptions& options, int vocab);

}  // namespace transformer
