#include "generation/common_prefix.h"

#include <algorithm>

#include "attention/kv_cache.h"

namespace transformer {

void feed_common_prefix(const SequenceModel& model, const GenerationInput& input, Workspace& workspace) {
  if (!input.prefixes || model.has_encoder() || input.prompts.size() < 2) return;
  const std::vector<int>& first = input.prompts.front();
  auto end = first.end();
  for (const std::vector<int>& other : input.prompts)
    end = std::mismatch(first.begin(), end, other.begin(), other.end()).first;
  for (const std::vector<int>& prompt : input.prompts) end = std::min(end, first.begin() + (count_of(prompt) - 1));
  const int common = static_cast<int>(end - first.begin()) / KvCache::kPageTokens * KvCache::kPageTokens;
  if (common == 0) return;
  const std::vector<int> with_next(first.begin(), first.begin() + common + 1);
  GenerationInput own;
  own.prompts.push_back(with_next);
  own.prefixes = input.prefixes;
  const Shortlist everything{GenerationOptions()};
  const auto decoding = model.start(own, {1, common}, {&everything, 1}, workspace);
  if (!decoding->remembers(common)) return;
  const int known = decoding->recall(0, with_next);
  if (known == common) return;
  const Arena::Scope scope(workspace.arena);
  const auto ids = std::span<const int>(with_next).first(common), rest = ids.subspan(known);
  decoding->forward(rest, {1, count_of(rest)}, workspace.arena.take(1, model.vocab()), workspace);
  decoding->remember(0, ids, count_of(rest));
}

}  // namespace transformer
