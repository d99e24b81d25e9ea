#include "generation/score_texts.h"

#include <algorithm>
#include <numeric>

#include "generation/common_prefix.h"

namespace transformer {

std::vector<Hypothesis> score_texts(const SequenceModel& model, const GenerationInput& input,
                                    const std::vector<std::vector<int>>& texts, Workspace& workspace) {
  const auto& prompts = input.prompts;
  const int count = count_of(prompts);
  require(count > 0 && count == count_of(texts), "expected a text for each of ", count, " prompts, got ", texts.size());
  require(count_of(input.sources) == (model.has_encoder() ? count : 0), "expected a source for each of ", count,
          " texts, got ", input.sources.size());
  std::vector<std::vector<int>> read;  // the last token of a text is not
  int longest = 0;
  for (int i = 0; i < count; ++i) {
    require(!prompts[i].empty() && !texts[i].empty(), "every prompt and every text needs at least one token");
    for (int id : texts[i]) {
      require(id >= 0 && id < model.vocab(), "the id ", id, " is outside of the vocabulary of ", model.vocab());
    }
    std::vector<int>& ids = read.emplace_back(prompts[i]);
    ids.insert(ids.end(), texts[i].begin(), texts[i].end() - 1);
    longest = std::max(longest, count_of(ids));
  }
  require(longest <= model.max_length(), "a prompt with its text is ", longest, " tokens long, but the model has only ",
          model.max_length(), " positions");
  feed_common_prefix(model, input, workspace);
  const Shortlist everything{GenerationOptions()};
  const auto decoding = model.start(input, {count, longest}, {&everything, 1}, workspace);
  std::vector<std::vector<int>> fed;
  std::vector<int> next;  // -1: of the prompt
  for (int i = 0; i < count; ++i) {
    const int known = decoding->recall(i, prompts[i]);
    fed.emplace_back(read[i].begin() + known, read[i].end());
    next.insert(next.end(), count_of(prompts[i]) - known - 1, -1);
    next.insert(next.end(), texts[i].begin(), texts[i].end());
  }
  const JoinedIds joined(fed);
  std::vector<float> scores(next.size());
  decoding->score(joined.ids, joined.segments(), next, scores, workspace);
  std::vector<Hypothesis> results;
  for (int i = 0; i < count; ++i) {
    decoding->remember(i, read[i], count_of(fed[i]));
    const auto end = scores.begin() + joined.offsets[i + 1];
    Hypothesis& result = results.emplace_back();
    result.ids = texts[i];
    result.token_scores.assign(end - count_of(texts[i]), end);
    result.score = std::accumulate(result.token_scores.begin(), result.token_scores.end(), 0.0f);
  }
  return results;
}

}  // namespace transformer
