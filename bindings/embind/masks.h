// Masks among the options of a call.
#pragma once

#include "attention/mask.h"
#include "tensors.h"

namespace transformer::bindings {

// Of the self-attention of one stack or layer.
struct JsSelfMasks {
  MaybeTensor mask;
  MaybeTensor bias;
  MaybeTensor key_padding_mask;
  bool is_causal = false;

  MaskTensors masks() const { return {mask.read("mask"), bias.read("bias"), key_padding_mask.read("keyPaddingMask")}; }
};

// Between a decoder's positions and those of the memory.
struct JsMemoryMasks {
  MaybeTensor memory_mask;
  MaybeTensor memory_bias;
  MaybeTensor memory_key_padding_mask;

  MaskTensors memory_masks() const {
    return {memory_mask.read("memoryMask"), memory_bias.read("memoryBias"),
            memory_key_padding_mask.read("memoryKeyPaddingMask")};
  }
};

template <class Owner>
void add_self_masks(emscripten::value_object<Owner>& object) {
  object.field("mask", &JsSelfMasks::mask)
      .field("bias", &JsSelfMasks::bias)
      .field("keyPaddingMask", &JsSelfMasks::key_padding_mask)
      .field("isCausal", &JsSelfMasks::is_causal);
}

template <class Owner>
void add_memory_masks(emscripten::value_object<Owner>& object) {
  object.field("memoryMask", &JsMemoryMasks::memory_mask)
      .field("memoryBias", &JsMemoryMasks::memory_bias)
      .field("memoryKeyPaddingMask", &JsMemoryMasks::memory_key_padding_mask);
}

}  // namespace transformer::bindings
