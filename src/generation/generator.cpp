#include "generation/generator.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>

#include "generation/common_prefix.h"
#include "generation/draft_model.h"
#include "generation/make_search.h"
#include "generation/prompt_lookup.h"

namespace transformer {

namespace {

// The part of the last step's own time in the average, which follows a machine that slows down.
constexpr double kNewPass = 0.125;

double system_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The number of tokens that may be generated. The last one needs no position: it is never fed to the decoder.
int room_for(int max_length, int prompt_length, int wanted) {
  require(prompt_length < max_length, "the prompt is ", prompt_length, " tokens long, but the model has only ",
          max_length, " positions");
  return std::min(wanted, max_length - prompt_length + 1);
}

// The number of tokens that may be generated for a source, or a prompt in its place.
int most_new_tokens(const GenerationOptions& options, int source_length) {
  const double scaled = std::ceil(static_cast<double>(options.max_length_factor) * source_length);
  return scaled > 0 && scaled < options.max_new_tokens ? static_cast<int>(scaled) : options.max_new_tokens;
}

void keep_to_form(const GenerationInput& input, Search& search) {
  const std::vector<int>& prompt = search.input().prompt;
  int state = GrammarStates::kStart;
  for (int place = std::max(count_of(prompt) - input.form_begun, 0); place < count_of(prompt); ++place) {
    state = input.form->after(state, prompt[place]);
  }
  require(state != GrammarStates::kDead, "nothing that begins with the prefix has the form of constrain");
  search.keep_to(input.form, state);
}

}  // namespace

Generator::Generator(std::unique_ptr<const SequenceModel> model, const GenerationInput& input,
                     const GenerationOptions& options, Workspace& workspace)
    : model_(std::move(model)), options_(options), input_(input), workspace_(workspace), clock_(system_seconds) {
  validate(options, model_->vocab());
  const int size = count_of(input.prompts), paddings = count_of(input.padding);
  require(size > 0, "there are no prompts to generate from");
  const int sources = !input.takes_ids() ? size : count_of(input.sources);
  require(model_->has_encoder() || sources == 0, "this model has no encoder, so it takes no sources");
  require(!model_->has_encoder() || sources == size, "the number of sources (", sources,
          ") differs from the number of prompts (", size, ")");
  require(paddings == 0 || paddings == size, "the number of padding lengths (", paddings,
          ") differs from the number of prompts (", size, ")");

  const int lists = count_of(input.shortlists);
  require(lists == 0 || lists == size, "the number of shortlists (", lists, ") differs from the number of prompts (",
          size, ")");

  const int max_length = model_->max_length();
  rows_per_search_ = options.num_beams > 1 ? options.num_beams : options.num_return_sequences;
  input_.prompts.clear();
  for (int i = 0; i < size; ++i) {
    const std::vector<int>& prompt = input.prompts[i];
    const int padding = input.padding.empty() ? 0 : input.padding[i];
    require(padding >= 0 && padding < count_of(prompt), "every prompt needs at least one token besides its padding");
    input_.prompts.emplace_back(prompt.begin() + padding, prompt.end());
    const auto source_of = [&](int row) { return input.sources.empty() ? input.prompts[row] : input.sources[row]; };
    const int room =
        room_for(max_length, count_of(input_.prompts.back()), most_new_tokens(options, count_of(source_of(i))));
    capacity_ = std::max(capacity_, room + count_of(input_.prompts.back()));
    SearchInput search = {prompt, room, source_of(i)};
    // As in Hugging Face's transformers, only as many rows as there are inputs are rewarded for tokens of a source: row
    // n of the batch, whichever beam that is, for those of source n.
    for (int row = 0; row < rows_per_search_; ++row) {
      const int place = i * rows_per_search_ + row;
      search.rewarded_sources.push_back(place < size ? source_of(place) : std::vector<int>());
    }
    if (lists > 0) {
      options_.shortlist = input.shortlists[i];
      validate(options_, model_->vocab());
    }
    request_.searches.push_back(make_search(options_, std::move(search)));
    if (input.form) keep_to_form(input, *request_.searches.back());
  }
  require(size <= INT_MAX / rows_per_search_, size, " prompts with ", rows_per_search_, " sequences each are too many");
  may_draft_ = rows_per_search_ == 1;
  const int looked_up = options.prompt_lookup_num_tokens;
  if (looked_up > 0) drafts_.push_back(std::make_unique<PromptLookup>(looked_up));
}

Generator::~Generator() {
  stop_waiting();
  if (batch_) batch_->leave(request_);
  if (company_ && company_->open && !company_->open->is_running()) company_->open.reset();
}

void Generator::share(Company& company) {
  company_ = &company;
  std::vector<Generator*>& waiting = company.waiting;
  if (!batch_ && std::find(waiting.begin(), waiting.end(), this) == waiting.end()) waiting.push_back(this);
}

void Generator::stop_waiting() {
  if (!company_) return;
  std::vector<Generator*>& waiting = company_->waiting;
  std::erase(waiting, this);
  if (waiting.empty()) waiting.shrink_to_fit();  // an idle model holds no memory for callers
}

void Generator::assist(std::unique_ptr<const SequenceModel> assistant) {
  require(assistant->vocab() == model_->vocab() && assistant->has_encoder() == model_->has_encoder(),
          "the assistant must be of the model's kind, and have its vocabulary");
  drafts_.push_back(std::make_unique<DraftModel>(std::move(assistant), options_.num_assistant_tokens, capacity_));
}

bool Generator::done() const {
  const auto& searches = request_.searches;
  return std::all_of(searches.begin(), searches.end(), [](const auto& search) { return search->done(); });
}

std::vector<std::vector<int>> Generator::open_rows(int index) const {
  const Search& search = this->search(index);
  if (search.done()) return {};
  std::vector<std::vector<int>> rows;
  for (int row = 0; row < search.rows(); ++row) rows.emplace_back(search.ids(row).begin(), search.ids(row).end());
  return rows;
}

void Generator::allow(int index, std::vector<std::vector<int>> allowed) {
  const int rows = search(index).rows();
  require(count_of(allowed) == rows, "expected allowed ids for ", rows, " rows, got ", allowed.size());
  for (const std::vector<int>& ids : allowed) {
    require(!ids.empty(), "a sequence needs at least one allowed id to go on with");
    for (int id : ids) {
      require(id >= 0 && id < model_->vocab(), "the allowed id ", id, " is outside of the vocabulary of ",
              model_->vocab());
    }
  }
  may_draft_ = false;  // what is allowed after a draft is not known yet
  stop_waiting();      // nor after a step that others take
  company_ = nullptr;
  request_.searches[index]->allow(std::move(allowed));
}

// A copy: a draft may be part of the search's ids, which grow.
std::vector<int> Generator::draft() {
  const Search& search = *batch_->only_search();
  const SearchInput& input = search.input();
  const std::span<const int> ids = search.ids(0);
  const int left = input.max_new_tokens - (count_of(ids) - count_of(input.prompt));
  const DraftInput text = {model_->has_encoder() ? input.source : std::span<const int>(), ids, search.shortlist()};
  for (const auto& source : drafts_) {
    drafting_ = source.get();
    const std::span<const int> draft = source->draft(text, left - 1, workspace_);
    if (!draft.empty()) return {draft.begin(), draft.end()};
  }
  return {};
}

int Generator::tokens() const {
  int count = 0;
  for (const auto* lists : {&input_.sources, &input_.prompts}) {
    for (const std::vector<int>& ids : *lists) count += count_of(ids);
  }
  return count;
}

// Whether the inputs of both can be those of one caller.
bool Generator::begins_like(const Generator& other) const {
  const auto is_everything = [](const Generator& one) { return one.search(0).shortlist().is_everything(); };
  return input_.takes_ids() && other.input_.takes_ids() && rows_per_search_ == other.rows_per_search_ &&
         input_.shortlists.empty() == other.input_.shortlists.empty() &&
         (!input_.shortlists.empty() || (is_everything(*this) && is_everything(other)));
}

std::vector<Generator*> Generator::group() {
  std::vector<Generator*> group = {this};
  if (!shares()) return group;
  const int running = company_->open ? company_->open->rows() : 0;
  int rows = this->rows(), tokens = this->tokens();
  const int most_rows = running + rows <= Batch::kMaxRows ? Batch::kMaxRows - running : Batch::kMaxRows;
  for (Generator* other : company_->waiting) {
    if (other == this || !other->shares() || !begins_like(*other)) continue;
    if (rows + other->rows() > most_rows || tokens + other->tokens() > kMostTokensTogether) continue;
    rows += other->rows();
    tokens += other->tokens();
    group.push_back(other);
  }
  return group;
}

void Generator::begin(std::span<Generator* const> group, Workspace& workspace) {
  const Generator& first = *group.front();
  GenerationInput input;
  input.source_vectors = first.input_.source_vectors;
  input.memory = first.input_.memory;
  input.media = first.input_.media;
  std::vector<Request*> requests;
  std::vector<Shortlist> shortlists;
  DecodingSize size = {};
  int columns = 0;
  const auto append = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  for (Generator* one : group) {
    append(one->input_.sources, input.sources);
    append(one->input_.prompts, input.prompts);
    requests.push_back(&one->request_);
    size.rows += one->rows();
    size.capacity = std::max(size.capacity, one->capacity_);
    for (int i = 0; i < std::max(count_of(one->input_.shortlists), 1); ++i) {
      const Shortlist& shortlist = one->search(i).shortlist();
      columns = std::max(columns, shortlist.columns(one->model_->vocab()));
      if (shortlists.empty() || !shortlist.is_everything()) shortlists.push_back(shortlist);
    }
  }
  input.prefixes = first.prefixes();
  feed_common_prefix(*first.model_, input, workspace);
  auto decoding = first.model_->start(input, size, shortlists, workspace);
  const bool can_forget = decoding->can_forget();
  const auto batch = std::make_shared<Batch>(std::move(decoding), columns);
  batch->start(requests, input.prompts, workspace);
  for (Generator* one : group) {
    one->batch_ = batch;
    one->may_draft_ = one->may_draft_ && can_forget;
    one->input_ = {};
    one->stop_waiting();
  }
}

// What fails together may be the fault of one, who then fails alone.
void Generator::begin() {
  std::vector<Generator*> group = this->group();
  if (group.size() > 1) {
    try {
      begin(group, workspace_);
    } catch (...) {
      for (Generator* one : group) one->stop_waiting();
      group.resize(1);
    }
  }
  if (!batch_) {
    try {
      begin(group, workspace_);
    } catch (const std::bad_alloc&) {
      // What is remembered is needed less than the memory that it takes.
      if (!company_ || company_->prefixes.bytes() == 0) throw;
      company_->prefixes.forget();
      begin(group, workspace_);
    }
  }
  join_others(group);
}

void Generator::take_step() {
  if (!batch_) return begin();
  if (drafts_.empty() || !may_draft_ || !batch_->only_search()) {
    batch_->step({}, workspace_);
    return;
  }
  const double begin = clock_();
  const std::vector<int> draft = this->draft();
  const int right = batch_->step(draft, workspace_);
  count_step(count_of(draft), right, clock_() - begin);
}

void Generator::count_step(int drafted, int right, double seconds) {
  if (drafted == 0) pass_seconds_ += (seconds - pass_seconds_) * (pass_seconds_ > 0 ? kNewPass : 1.0);
  const double passes = pass_seconds_ > 0 ? seconds / pass_seconds_ : 1 + DraftPace::kUsualCost * drafted;
  for (const auto& source : drafts_) {
    const bool is_its_own = drafted > 0 && source.get() == drafting_;
    source->pace().count(is_its_own ? drafted : 0, is_its_own ? right : 0, passes);
  }
}

// Those that have begun in the same pass.
void Generator::join_others(std::span<Generator* const> group) {
  const Generator& first = *group.front();
  if (!first.shares() || !first.batch_->is_running()) return;
  std::shared_ptr<Batch>& open = first.company_->open;
  if (open && open->join(*first.batch_)) {
    for (Generator* one : group) one->batch_ = open;
  } else {
    open = first.batch_;
  }
}

bool Generator::step() {
  const bool has_news = batch_ && batch_->steps() != steps_;
  if (!has_news && !done() && !request_.has_failed) take_step();
  if (batch_) steps_ = batch_->steps();
  if (request_.error) throw Error(*request_.error);
  if (request_.has_failed) throw std::bad_alloc();
  return !has_news;
}

}  // namespace transformer
