// A vocabulary shortlist: the few tokens that can be chosen, for example those that a lexicon allows for a translation
// (Jean et al. 2015, section 3.3; Marian's lexical shortlist). The logits have columns for these tokens only.
#pragma once

#include <vector>

#include "generation/options.h"

namespace transformer {

// Maps columns of the logits to token ids.
class Shortlist {
 public:
  Shortlist() = default;  // none: every token of the vocabulary has its column
  // The shortlist of the options with the end and forced tokens, sorted by id.
  explicit Shortlist(const GenerationOptions& options);

  bool is_everything() const { return ids_.empty(); }
  const std::vector<int>& ids() const { return ids_; }

  // The columns of the logits, where the whole vocabulary has this many tokens.
  int columns(int vocab) const { return is_everything() ? vocab : static_cast<int>(ids_.size()); }
  int id(int column) const { return is_everything() ? column : ids_[column]; }
  int column(int id) const;  // -1 for a token that is not on the shortlist

 private:
  std::vector<int> ids_;
};

}  // namespace transformer
