// Which decoder the config asks for.
#pragma once

#include <memory>

#include "recurrent/decoder.h"

namespace transformer {

// The decoder of the config's design.
std::unique_ptr<const RecurrentDecoder> make_decoder(const WeightScope& scope, const RecurrentConfig& config,
                                                     SharedMatrix embedding);

}  // namespace transformer
