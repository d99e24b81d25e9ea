// What a model remembers of a sequence as numbers, which can be kept elsewhere and remembered again.
#pragma once

#include "base/tensor.h"
#include "generation/sequence_model.h"

namespace transformer {

// The page at a place of a sequence, which counts pages.
struct PlacedPage {
  std::span<const int> ids;  // of the sequence, at least up to the end of the page
  int place;
};

// Its keys and values in all layers. Of no numbers where it is not
// remembered.
Tensor stored_page(PrefixCache& prefixes, const PlacedPage& page);

// Remembers such a page, which the same model has computed, after those before it. False if there is no room for it.
// invalid_argument unless the ids and the numbers fill it.
bool restore_page(const SequenceModel& model, PrefixCache& prefixes, const PlacedPage& page, const Tensor& numbers,
                  Workspace& workspace);

}  // namespace transformer
