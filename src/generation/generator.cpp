#include "generation/generator.h"

#include <algorithm>
#include <climits>

#include "generation/draft_model.h"
#include "generation/prompt_lookup.h"

namespace transformer {

namespace {

// The number of tokens that may be generated. The last one needs no position: it is never fed to the decoder.
int room_for(int max_length, int prompt_length, int wanted) {
  require(prompt_length < max_length, "the prompt is ", prompt_length, " tokens long, but the model has only ",
          max_length, " positions");
  return std::min(wanted, max_length - prompt_length + 1);
}

}  // namespace

Generator::Generator(std::unique_ptr<const SequenceModel> model, const GenerationInput& input,
                     const GenerationOptions& options, Workspace& workspace)
    : model_(std::move(model)),
      options_(options),
      workspace_(workspace),
      rows_per_search_(options.num_beams > 1 ? options.num_beams : options.num_return_sequences) {
  validate(options, model_->vocab());
  const int size = count_of(input.prompts), paddings = count_of(input.padding);
  require(size > 0, "there are no prompts to generate from");
  const bool is_vectors = input.source_vectors.data || input.memory.data;
  const int sources = is_vectors ? size : count_of(input.sources);
  require(model_->has_encoder() || sources == 0, "this model has no encoder, so it takes no sources");
  require(!model_->has_encoder() || sources == size, "the number of sources (", sources,
          ") differs from the number of prompts (", size, ")");
  require(paddings == 0 || paddings == size, "the number of padding lengths (", paddings,
          ") differs from the number of prompts (", size, ")");

  const int max_length = model_->max_length();
  int longest = 0;
  for (int i = 0; i < size; ++i) {
    const std::vector<int>& prompt = input.prompts[i];
    const int padding = input.padding.empty() ? 0 : input.padding[i];
    require(padding >= 0 && padding < count_of(prompt), "every prompt needs at least one token besides its padding");
    prompts_.emplace_back(prompt.begin() + padding, prompt.end());
    longest = std::max(longest, count_of(prompts_.back()));
    const int room = room_for(max_length, count_of(prompts_.back()), options.max_new_tokens);
    const auto source_of = [&](int row) { return input.sources.empty() ? input.prompts[row] : input.sources[row]; };
    SearchInput search = {prompt, room, source_of(i)};
    // As in Hugging Face's transformers, only as many rows as there are inputs are rewarded for tokens of a source: row
    // n of the batch, whichever beam that is, for those of source n.
    for (int row = 0; row < rows_per_search_; ++row) {
      const int place = i * rows_per_search_ + row;
      search.rewarded_sources.push_back(place < size ? source_of(place) : std::vector<int>());
    }
    searches_.push_back(make_search(options_, std::move(search)));
  }
  require(size <= INT_MAX / rows_per_search_, size, " prompts with ", rows_per_search_, " sequences each are too many");
  const int rows = size * rows_per_search_;
  capacity_ = room_for(max_length, longest, options.max_new_tokens) + longest;
  const Shortlist shortlist(options);
  decoding_ = model_->start(input, {rows, capacity_}, shortlist, workspace_);
  logits_ = Tensor({rows, shortlist.is_everything() ? model_->vocab() : count_of(shortlist.ids())});
  may_draft_ = rows_per_search_ == 1 && decoding_->can_forget();
  const int looked_up = options.prompt_lookup_num_tokens;
  if (looked_up > 0) add_drafts(std::make_unique<PromptLookup>(looked_up), looked_up);
}

void Generator::add_drafts(std::unique_ptr<DraftSource> source, int longest) {
  if (!may_draft_) return;
  if (logits_.axis(0) <= longest) logits_ = Tensor({longest + 1, logits_.axis(1)});
  drafts_.push_back(std::move(source));
}

void Generator::assist(std::unique_ptr<const SequenceModel> assistant) {
  require(assistant->vocab() == model_->vocab() && assistant->has_encoder() == model_->has_encoder(),
          "the assistant must be of the model's kind, and have its vocabulary");
  const int longest = options_.num_assistant_tokens;
  add_drafts(std::make_unique<DraftModel>(std::move(assistant), options_, capacity_), longest);
}

bool Generator::done() const {
  return std::all_of(searches_.begin(), searches_.end(), [](const auto& search) { return search->done(); });
}

void Generator::feed_prompts() {
  std::vector<int> first_rows, rows;
  for (int i = 0; i < size(); ++i) {
    running_.push_back(i);
    first_rows.push_back(i * rows_per_search_);
    rows.insert(rows.end(), rows_per_search_, i);
  }
  decoding_->reorder(first_rows);
  const JoinedIds prompts(prompts_);
  const View logits = logits_.matrix().row_range(0, size() * rows_per_search_);
  decoding_->forward(prompts.ids, prompts.segments(), logits.row_range(0, size()), workspace_);
  prompts_.clear();
  decoding_->reorder(rows);
  for (int row = logits.rows - 1; row > rows[row]; --row)
    std::copy_n(logits.row(rows[row]), logits.cols, logits.row(row));
}

std::vector<std::vector<int>> Generator::open_rows(int index) const {
  const Search& search = *searches_[index];
  if (search.done()) return {};
  std::vector<std::vector<int>> rows;
  for (int row = 0; row < search.rows(); ++row) rows.emplace_back(search.ids(row).begin(), search.ids(row).end());
  return rows;
}

void Generator::allow(int index, std::vector<std::vector<int>> allowed) {
  require(count_of(allowed) == searches_[index]->rows(), "expected allowed ids for ", searches_[index]->rows(),
          " rows, got ", allowed.size());
  for (const std::vector<int>& ids : allowed) {
    require(!ids.empty(), "a sequence needs at least one allowed id to go on with");
    for (int id : ids) {
      require(id >= 0 && id < model_->vocab(), "the allowed id ", id, " is outside of the vocabulary of ",
              model_->vocab());
    }
  }
  may_draft_ = false;  // what is allowed after a draft is not known yet
  searches_[index]->allow(std::move(allowed));
}

std::span<const int> Generator::draft() {
  if (!may_draft_ || running_.size() != 1) return {};
  const Search& search = *searches_[running_.front()];
  const SearchInput& input = search.input();
  const std::span<const int> ids = search.ids(0);
  const int left = input.max_new_tokens - (count_of(ids) - count_of(input.prompt));
  const DraftInput text = {model_->has_encoder() ? input.source : std::span<const int>(), ids};
  for (const auto& source : drafts_) {
    drafting_ = source.get();
    const std::span<const int> draft = source->draft(text, left - 1, workspace_);
    if (!draft.empty()) return draft;
  }
  return {};
}

void Generator::verify_draft(Search& search) {
  int right = 0;
  while (right < count_of(draft_) && !search.done() && search.last_ids()[0] == draft_[right]) {
    ++right;
    search.advance(logits_.matrix().row_range(right, 1), workspace_);
  }
  drafting_->verified(right);
  decoding_->forget(0, count_of(draft_) - right);
  draft_.clear();
}

void Generator::step() {
  if (done()) return;
  if (!prompts_.empty()) feed_prompts();

  ids_.clear();
  parents_.clear();
  int first_row = 0;
  for (int i : running_) {
    Search& search = *searches_[i];
    const int rows = search.rows();
    {
      const PathScope part(workspace_, "search");
      search.advance(logits_.matrix().row_range(first_row, rows), workspace_);
      if (!draft_.empty()) verify_draft(search);
    }
    for (int row = 0; row < search.rows() && !search.done(); ++row) {
      ids_.push_back(search.last_ids()[row]);
      parents_.push_back(first_row + search.parents()[row]);
    }
    first_row += rows;
  }
  std::erase_if(running_, [this](int i) { return searches_[i]->done(); });
  if (running_.empty()) return;
  decoding_->reorder(parents_);
  const std::span<const int> draft = this->draft();
  draft_.assign(draft.begin(), draft.end());
  ids_.insert(ids_.end(), draft_.begin(), draft_.end());
  decoding_->forward(ids_, {count_of(parents_), count_of(draft_) + 1}, logits_.matrix().row_range(0, count_of(ids_)),
                     workspace_);
}

}  // namespace transformer
