// How text is generated. Names and defaults are those of Hugging Face's GenerationConfig.
#pragma once

#include <cstdint>
#include <vector>

namespace transformer {

// When a beam search has found enough: with num_beams finished hypotheses, when no live beam can beat them judged by
// its present length, or judged by the greatest length it may reach.
enum class EarlyStopping { kYes, kNo, kNever };

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
  std::uint64_t seed = 0;

  float repetition_penalty = 1.0f;
  int no_repeat_ngram_size = 0;
  std::vector<std::vector<int>> bad_words_ids;
  int forced_bos_token_id = -1;
  int forced_eos_token_id = -1;
  std::vector<int> suppress_tokens;        // never chosen
  std::vector<int> begin_suppress_tokens;  // not the first that is chosen
  bool renormalize_logits = false;

  // Only these ids, the end tokens and the forced ones are chosen; none: any of the vocabulary.
  std::vector<int> shortlist;
};

// Throws invalid_argument in the user's names; vocab bounds the token ids.
void validate(const GenerationOptions& options, int vocab);

}  // namespace transformer
