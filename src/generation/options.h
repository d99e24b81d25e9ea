// The options of generation. Names and defaults are those of Hugging Face's GenerationConfig.
#pragma once

#include <cmath>
#include <tuple>
#include <vector>

#include "base/fields.h"
#include "base/names.h"

namespace transformer {

// When a beam search with num_beams finished hypotheses stops: at once (true); when no live beam can beat the worst of
// them at its current length (false); or at the length that is best for it, up to the maximum (never).
enum class EarlyStopping { kYes, kNo, kNever };

constexpr auto enum_names(EarlyStopping) {
  return std::to_array<Named<EarlyStopping>>(
      {{"true", EarlyStopping::kYes}, {"false", EarlyStopping::kNo}, {"never", EarlyStopping::kNever}});
}

struct GenerationOptions {
  int max_new_tokens = 20;
  int min_new_tokens = 0;
  float max_length_factor =
      0.0f;  // times the tokens of the source: the most that are generated (Marian); 0: no such limit
  std::vector<int> eos_token_ids;
  int pad_token_id = -1;  // negative: none

  int num_beams = 1;
  int num_beam_groups = 1;         // diverse beam search (Vijayakumar et al. 2018): groups of beams
  float diversity_penalty = 0.0f;  // for each time that an earlier group chose the token in the same step
  int num_return_sequences = 1;
  float length_penalty = 1.0f;  // a hypothesis scores sum(log p) / length^length_penalty
  EarlyStopping early_stopping = EarlyStopping::kNo;

  bool do_sample = false;
  float temperature = 1.0f;
  int top_k = 0;           // keep the k most likely tokens; 0: all
  float top_p = 1.0f;      // keep the most likely tokens that together have this probability
  float typical_p = 1.0f;  // keep the tokens of the most typical information that together have this probability
  float min_p = 0.0f;      // keep the tokens with at least this part of the greatest probability (Nguyen et al. 2024)
  float epsilon_cutoff = 0.0f;  // keep the tokens with at least this probability (Hewitt et al. 2022, section 4)
  float eta_cutoff = 0.0f;      // the same, with a limit that falls with the entropy (section 4)
  double seed = 0;              // an integer below 2^53, which is exact in JavaScript's numbers too

  float repetition_penalty = 1.0f;
  float encoder_repetition_penalty = 1.0f;  // above 1: tokens of the source become more likely
  int no_repeat_ngram_size = 0;
  int encoder_no_repeat_ngram_size = 0;            // no n-gram of the source is written
  std::vector<std::vector<double>> sequence_bias;  // ids, then what is added to the score of the last one after them
  std::vector<std::vector<int>> bad_words_ids;
  int forced_bos_token_id = -1;  // negative: none
  int forced_eos_token_id = -1;
  std::vector<int> suppress_tokens;                      // ids that are never chosen
  std::vector<int> begin_suppress_tokens;                // ids that are not chosen as the first generated token
  std::vector<std::vector<int>> forced_decoder_ids;      // [place, id]: the only id that can be chosen at a place
  std::vector<double> exponential_decay_length_penalty;  // [start, factor]: after it, end tokens grow more likely
  bool remove_invalid_values = false;                    // replaces NaN and infinity
  bool renormalize_logits = false;
  // The timestamps of speech (Radford et al. 2022, section 2.3) are the ids from this one on, and one id before them
  // switches them off; negative: the model writes none.
  int first_timestamp_id = -1;
  int max_initial_timestamp_index = -1;  // of the first timestamp in a sequence; negative: no limit

  // Tokens of a draft at most, looked up in the text or from a smaller model; the results do not depend on drafts.
  int prompt_lookup_num_tokens = 0;
  int num_assistant_tokens = 5;
  int top_logprobs = 0;  // the most likely tokens that are reported of each step

  // Only these ids, the end tokens and the forced tokens can be chosen; empty: the whole vocabulary.
  std::vector<int> shortlist;
};

// The range of a number: the words of the error message, and the test.
struct Range {
  const char* text;
  bool (*holds)(double);
};
inline constexpr Range kAny = {"must be a finite number", [](double x) { return std::isfinite(x); }};
inline constexpr Range kNotNegative = {"must be finite and not negative",
                                       [](double x) { return x >= 0 && std::isfinite(x); }};
inline constexpr Range kAtLeastOne = {"must be at least 1", [](double x) { return x >= 1; }};
inline constexpr Range kFewTokens = {"must be from 0 to 256", [](double x) { return x >= 0 && x <= 256; }};
inline constexpr Range kFewSequences = {"must be from 1 to 65536", [](double x) { return x >= 1 && x <= 65536; }};
inline constexpr Range kSeed = {"must be an integer from 0 to 2^53 - 1",
                                [](double x) { return x >= 0 && x < 0x1p53 && x == std::floor(x); }};
inline constexpr Range kPositive = {"must be positive", [](double x) { return x > 0 && std::isfinite(x); }};
inline constexpr Range kBelowOne = {"must be from 0 to below 1", [](double x) { return x >= 0 && x < 1; }};
inline constexpr Range kProbability = {"must be in (0, 1]", [](double x) { return x > 0 && x <= 1; }};

// A number among the options.
template <class T>
struct NumberField {
  const char* name;
  T GenerationOptions::* member;
  Range range;
};

// Every option under its public name, with its range if it is a number; lists of ids must be in the vocabulary. The
// Embind bindings and validate() both read this table, so that an option is a field above and a line here.
constexpr auto fields_of(const GenerationOptions*) {
  using O = GenerationOptions;
  return std::tuple{
      NumberField{"maxNewTokens", &O::max_new_tokens, kAtLeastOne},
      NumberField{"minNewTokens", &O::min_new_tokens, kNotNegative},
      NumberField{"maxLengthFactor", &O::max_length_factor, kNotNegative},
      Field{"eosTokenId", &O::eos_token_ids},
      NumberField{"padTokenId", &O::pad_token_id, kAny},
      NumberField{"numBeams", &O::num_beams, kFewSequences},
      NumberField{"numBeamGroups", &O::num_beam_groups, kFewSequences},
      NumberField{"diversityPenalty", &O::diversity_penalty, kNotNegative},
      NumberField{"numReturnSequences", &O::num_return_sequences, kFewSequences},
      NumberField{"lengthPenalty", &O::length_penalty, kAny},
      Field{"earlyStopping", &O::early_stopping},
      Field{"doSample", &O::do_sample},
      NumberField{"temperature", &O::temperature, kPositive},
      NumberField{"topK", &O::top_k, kNotNegative},
      NumberField{"topP", &O::top_p, kProbability},
      NumberField{"typicalP", &O::typical_p, kProbability},
      NumberField{"minP", &O::min_p, kBelowOne},
      NumberField{"epsilonCutoff", &O::epsilon_cutoff, kBelowOne},
      NumberField{"etaCutoff", &O::eta_cutoff, kBelowOne},
      NumberField{"seed", &O::seed, kSeed},
      NumberField{"repetitionPenalty", &O::repetition_penalty, kPositive},
      NumberField{"encoderRepetitionPenalty", &O::encoder_repetition_penalty, kPositive},
      NumberField{"encoderNoRepeatNgramSize", &O::encoder_no_repeat_ngram_size, kNotNegative},
      Field{"sequenceBias", &O::sequence_bias},
      Field{"forcedDecoderIds", &O::forced_decoder_ids},
      Field{"exponentialDecayLengthPenalty", &O::exponential_decay_length_penalty},
      Field{"removeInvalidValues", &O::remove_invalid_values},
      NumberField{"noRepeatNgramSize", &O::no_repeat_ngram_size, kNotNegative},
      Field{"badWordsIds", &O::bad_words_ids},
      NumberField{"forcedBosTokenId", &O::forced_bos_token_id, kAny},
      NumberField{"forcedEosTokenId", &O::forced_eos_token_id, kAny},
      Field{"suppressTokens", &O::suppress_tokens},
      Field{"beginSuppressTokens", &O::begin_suppress_tokens},
      Field{"renormalizeLogits", &O::renormalize_logits},
      NumberField{"firstTimestampId", &O::first_timestamp_id, kAny},
      NumberField{"maxInitialTimestampIndex", &O::max_initial_timestamp_index, kAny},
      NumberField{"promptLookupNumTokens", &O::prompt_lookup_num_tokens, kFewTokens},
      NumberField{"numAssistantTokens", &O::num_assistant_tokens, kFewTokens},
      NumberField{"topLogprobs", &O::top_logprobs, kFewTokens},
      Field{"shortlist", &O::shortlist},
  };
}

// invalid_argument, in the public names. Token ids must be below vocab.
void validate(const GenerationOptions& options, int vocab);

}  // namespace transformer
