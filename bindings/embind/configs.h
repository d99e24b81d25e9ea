// The configs of layers and models in JavaScript.
#pragma once

#include "js.h"
#include "kernels/activation.h"
#include "transformer/config.h"
#include "transformer/sentence_pooling.h"

TRANSFORMER_NAMED_ENUM(transformer::Activation);
TRANSFORMER_NAMED_ENUM(transformer::NormKind);
TRANSFORMER_NAMED_ENUM(transformer::NormPlace);
TRANSFORMER_NAMED_ENUM(transformer::QueryKeyNorm);
TRANSFORMER_NAMED_ENUM(transformer::HeadInput);
TRANSFORMER_NAMED_ENUM(transformer::PictureSizes);
TRANSFORMER_NAMED_ENUM(transformer::Pooling);
TRANSFORMER_NAMED_ENUM(transformer::SinusoidLayout);
TRANSFORMER_NAMED_ENUM(transformer::RotaryLayout);
