// Searches that are decoded together, those of several callers too: a pass over the weights serves all of them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "generation/search.h"
#include "generation/sequence_model.h"

namespace transformer {

// The searches of one caller, and what ended them early. Not a std::exception_ptr: Emscripten leaks 88 bytes each time
// that one is thrown again.
struct Request {
  std::vector<std::unique_ptr<Search>> searches;
  bool has_failed = false;
  std::optional<Error> error = std::nullopt;  // without one, memory was full
};

// Which sequences are decoded is decided anew for every token (Yu et al. 2022, "Orca", section 4: iteration-level
// scheduling): requests join between two steps, and searches leave when they are done. No result depends on the others.
class Batch {
 public:
  static constexpr int kMaxRows = 32;  // of requests that join each other: a product of more rows gains nothing

  // columns: of the logits, of the input that has most
  Batch(std::unique_ptr<Decoding> decoding, int columns) : decoding_(std::move(decoding)), columns_(columns) {}

  // The first pass: the ids of every prompt of these requests, once for all rows of its search. Then each search
  // chooses its first tokens; what one throws ends its request. With an exception, no search has chosen any.
  void start(std::span<Request* const> requests, const std::vector<std::vector<int>>& prompts, Workspace& workspace);

  // Feeds the tokens that were chosen, and each search chooses the next ones. If a search fails, its request has
  // failed; if the pass does, all of them. -> the number of tokens of the draft, of what may follow the only row, that
  // were chosen too
  int step(std::span<const int> draft, Workspace& workspace);

  // Takes over the requests of another batch of the same model: either all of them or, with
  // std::bad_alloc, none. False if one of the two has ended, if they are too large together, or if sequences of this
  // model cannot join.
  bool join(Batch& other);

  // The searches of the request stay as they are.
  void leave(const Request& request);

  bool is_running() const { return !running_.empty(); }
  const Search* only_search() const { return running_.size() == 1 ? running_.front().search : nullptr; }
  int steps() const { return steps_; }  // taken so far
  int rows() const { return rows_; }

 private:
  struct Running {
    Request* request;
    Search* search;
    int first_row;  // of its rows in decoding_, before its last choice reorders them
    int padding;    // of its prompt, which is not decoded
  };

  void remember(const Running& one, int fed);
  int choose(View logits, std::span<const int> draft, Workspace& workspace);
  int verify(std::span<const int> draft, View logits, Workspace& workspace);

  std::unique_ptr<Decoding> decoding_;
  int columns_;
  int rows_ = 0;                  // of decoding_, with those that no search continues any more
  std::vector<Running> running_;  // in the order of their rows
  std::vector<int> ids_;          // of a step: what each row is fed, and the row that it continues
  std::vector<int> parents_;
  int steps_ = 0;
};

}  // namespace transformer
