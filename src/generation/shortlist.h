// A vocabulary shortlist: the few tokens that may be chosen, as when a lexicon knows the words of a translation (Jean
// et al. 2015, section 3.3; Marian's lexical shortlist). The logits then have no columns for the others.
#pragma once

#include <vector>

#include "generation/options.h"

namespace transformer {

// The tokens that columns of logits stand for.
class Shortlist {
 public:
  Shortlist() = default;  // no shortlist: all of the vocabulary, column by column
  // Those of the options, with the tokens that end or are forced, in the order of their ids.
  explicit Shortlist(const GenerationOptions& options);

  bool is_everything() const { return ids_.empty(); }
  const std::vector<int>& ids() const { return ids_; }

  int id(int column) const { return is_everything() ? column : ids_[static_cast<std::size_t>(column)]; }
  int column(int id) const;  // -1 for a token that is not on it

 private:
  std::vector<int> ids_;
};

}  // namespace transformer
