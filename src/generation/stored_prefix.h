// What a model remembers of a sequence as numbers, which can be kept elsewhere and remembered again.
#pragma once

#include "base/tensor.h"
#include "generation/sequence_model.h"

namespace transformer {

// The page at a place of the sequence: its keys and values in all layers. Of no numbers where it is not
// remembered.
Tensor stored_page(PrefixCache& prefixes, std::span<const int> ids, int place);

// Remembers such a page, which the same model has computed, after those before it. False if there is no room for it.
// invalid_argument unless the ids and the numbers fill it.
bool restore_page(const SequenceModel& model, PrefixCache& prefixes, std::span<const int> ids, int place,
                  const Tensor& numbers, Workspace& workspace);

}  // namespace transformer
