#include "generation/group_beam_search.h"

#include <algorithm>
#include <numeric>

namespace transformer {

GroupBeamSearch::GroupBeamSearch(const GenerationOptions& options, SearchInput input)
    : Search(options, std::move(input)),
      beams_(options.num_beams / options.num_beam_groups),
      parents_(options.num_beams),
      last_ids_(options.num_beams) {
  std::iota(parents_.begin(), parents_.end(), 0);
  GenerationOptions own = options;
  own.num_beams = own.num_return_sequences = beams_;
  for (int group = 0; group < options.num_beam_groups; ++group) {
    SearchInput part = input_;
    auto& sources = part.rewarded_sources;
    sources.erase(sources.begin(), sources.begin() + std::min(group * beams_, count_of(sources)));
    groups_.push_back(std::make_unique<BeamSearch>(own, std::move(part)));
  }
}

bool GroupBeamSearch::done() const {
  return std::all_of(groups_.begin(), groups_.end(), [](const auto& group) { return group->done(); });
}

void GroupBeamSearch::allow(std::vector<std::vector<int>> allowed) {
  for (int group = 0; group < count_of(groups_); ++group) {
    const auto first = allowed.begin() + group * beams_;
    groups_[group]->allow({first, first + beams_});
  }
}

void GroupBeamSearch::keep_to(std::shared_ptr<GrammarStates> form, int state) {
  for (const auto& group : groups_) group->keep_to(form, state);
}

void GroupBeamSearch::advance(View logits, Workspace& workspace) {
  std::vector<int> chosen;
  for (int group = 0; group < count_of(groups_); ++group) {
    BeamSearch& search = *groups_[group];
    if (search.done()) {
      // In Hugging Face's transformers, a finished group goes on with padding, which the others then avoid too.
      if (options_.pad_token_id >= 0) chosen.insert(chosen.end(), beams_, options_.pad_token_id);
      continue;
    }
    const int first = group * beams_;
    search.advance(logits.row_range(first, beams_), chosen, workspace);
    for (int beam = 0; beam < beams_; ++beam) {
      parents_[first + beam] = first + search.parents()[beam];
      last_ids_[first + beam] = search.last_ids()[beam];
      chosen.push_back(search.last_ids()[beam]);
    }
  }
}

std::vector<Hypothesis> GroupBeamSearch::results() const {
  std::vector<Hypothesis> all;
  for (const auto& group : groups_) {
    for (Hypothesis& hypothesis : group->results()) insert_by_score(all, std::move(hypothesis));
  }
  if (count_of(all) > options_.num_return_sequences) all.resize(options_.num_return_sequences);
  return all;
}

std::vector<int> GroupBeamSearch::certain() const {
  if (done()) {
    const std::vector<int> best = results().front().ids;
    return {best.begin() + prompt_length(), best.end()};
  }
  std::vector<int> common = groups_.front()->certain();
  for (const auto& group : groups_) {
    const std::vector<int> other = group->certain();
    const auto end = std::mismatch(common.begin(), common.end(), other.begin(), other.end()).first;
    common.erase(end, common.end());
  }
  return common;
}

}  // namespace transformer
