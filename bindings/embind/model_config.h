// The description of a whole model, as JavaScript gives it.
#pragma once

#include "convert.h"
#include "transformer/config.h"

namespace transformer::bindings {

TransformerConfig config_from_js(const Options& js);

}  // namespace transformer::bindings
