#include "generation/batch.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace transformer {

namespace {

// In a catch block: what was thrown has ended the request. Takes no memory, of which there may be none left.
void end(Request& request) {
  request.has_failed = true;
  try {
    throw;
  } catch (const Error& error) {
    request.error = error;
  } catch (const std::exception&) {
  }
}

// The logits that belong to tokens of the search's shortlist.
View columns_of(const Search& search, View logits) {
  return logits.column_range(0, search.shortlist().columns(logits.cols));
}

}  // namespace

void Batch::start(std::span<Request* const> requests, const std::vector<std::vector<int>>& prompts,
                  Workspace& workspace) {
  std::vector<int> first_rows;
  for (Request* request : requests) {
    for (const auto& search : request->searches) {
      const int prompt = count_of(prompts[first_rows.size()]);
      first_rows.push_back(count_of(parents_));
      running_.push_back({request, search.get(), first_rows.back(), count_of(search->input().prompt) - prompt});
      parents_.insert(parents_.end(), search->rows(), count_of(first_rows) - 1);
    }
  }
  rows_ = count_of(parents_);
  const Arena::Scope scope(workspace.arena);
  const View logits = workspace.arena.take(rows_, columns_);
  decoding_->reorder(first_rows);
  std::vector<std::vector<int>> unknown;
  for (int i = 0; i < count_of(prompts); ++i) {
    unknown.emplace_back(prompts[i].begin() + decoding_->recall(i, prompts[i]), prompts[i].end());
  }
  const JoinedIds joined(unknown);
  decoding_->forward(joined.ids, joined.segments(), logits.row_range(0, count_of(prompts)), workspace);
  for (int i = 0; i < count_of(prompts); ++i) decoding_->remember(i, prompts[i], count_of(unknown[i]));
  decoding_->reorder(parents_);
  for (int row = rows_ - 1; row > parents_[row]; --row)
    std::copy_n(logits.row(parents_[row]), logits.cols, logits.row(row));
  choose(logits, {}, workspace);
}

int Batch::step(std::span<const int> draft, Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  View logits;
  try {
    ids_.clear();
    parents_.clear();
    for (Running& running : running_) {
      const Search& search = *running.search;
      const int parents = std::exchange(running.first_row, count_of(parents_));
      for (int row = 0; row < search.rows(); ++row) {
        ids_.push_back(search.last_ids()[row]);
        parents_.push_back(parents + search.parents()[row]);
      }
    }
    rows_ = count_of(parents_);
    ids_.insert(ids_.end(), draft.begin(), draft.end());
    logits = workspace.arena.take(count_of(ids_), columns_);
    decoding_->reorder(parents_);
    decoding_->forward(ids_, {rows_, count_of(draft) + 1}, logits, workspace);
    for (const Running& one : running_) {
      if (draft.empty()) remember(one, 1);
    }
  } catch (...) {
    for (const Running& running : running_) end(*running.request);
    running_.clear();
  }
  return choose(logits, draft, workspace);
}

void Batch::remember(const Running& one, int fed) {
  for (int row = 0; row < one.search->rows(); ++row) {
    decoding_->remember(one.first_row + row, one.search->ids(row).subspan(one.padding), fed);
  }
}

int Batch::choose(View logits, std::span<const int> draft, Workspace& workspace) {
  const PathScope part(workspace, "search");
  ++steps_;
  int right = 0;
  for (const auto& [request, search, first_row, padding] : running_) {
    try {
      search->advance(columns_of(*search, logits.row_range(first_row, search->rows())), workspace);
      if (!draft.empty()) right = verify(draft, logits, workspace);
    } catch (...) {
      end(*request);
    }
  }
  std::erase_if(running_, [](const Running& one) { return one.search->done() || one.request->has_failed; });
  return right;
}

// Goes on with the draft for as long as the search chooses its tokens. The decoder forgets the others.
int Batch::verify(std::span<const int> draft, View logits, Workspace& workspace) {
  Search& search = *running_.front().search;
  int right = 0;
  while (right < count_of(draft) && !search.done() && search.last_ids()[0] == draft[right]) {
    ++right;
    search.advance(columns_of(search, logits.row_range(right, 1)), workspace);
  }
  decoding_->forget(0, count_of(draft) - right);
  if (!search.done()) {
    const std::span<const int> ids = search.ids(0).subspan(running_.front().padding);
    decoding_->remember(0, ids.first(ids.size() - 1), right + 1);  // the last one was chosen, but not fed
  }
  return right;
}

bool Batch::join(Batch& other) {
  if (!is_running() || !other.is_running() || rows_ + other.rows_ > kMaxRows) return false;
  running_.reserve(running_.size() + other.running_.size());
  if (!decoding_->join(*other.decoding_)) return false;
  for (const auto& [request, search, first_row, padding] : other.running_)
    running_.push_back({request, search, rows_ + first_row, padding});
  rows_ += other.rows_;
  columns_ = std::max(columns_, other.columns_);
  other.running_.clear();
  return true;
}

void Batch::leave(const Request& request) {
  std::erase_if(running_, [&](const Running& running) { return running.request == &request; });
}

}  // namespace transformer
