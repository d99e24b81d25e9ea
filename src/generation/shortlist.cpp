#include "generation/shortlist.h"

#include <algorithm>

namespace transformer {

Shortlist::Shortlist(const GenerationOptions& options) : ids_(options.shortlist) {
  if (is_everything()) return;
  ids_.insert(ids_.end(), options.eos_token_ids.begin(), options.eos_token_ids.end());
  for (int id : {options.forced_bos_token_id, options.forced_eos_token_id}) {
    if (id >= 0) ids_.push_back(id);
  }
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

int Shortlist::column(int id) const {
  if (is_everything()) return id;
  const auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
  return place != ids_.end() && *place == id ? static_cast<int>(place - ids_.begin()) : -1;
}

}  // namespace transformer
