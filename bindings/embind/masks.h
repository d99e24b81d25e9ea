// The masks among the options of a call.
#pragma once

#include "attention/mask.h"
#include "tensors.h"

namespace transformer::bindings {

// The masks of one attention. Among the options of a call they are three fields, under the names of `names`.
struct JsMasks {
  MaybeTensor mask;
  MaybeTensor bias;
  MaybeTensor padding;

  MaskTensors read(const MaskNames& names = {}) const {
    return {mask.read(names.mask), bias.read(names.bias), padding.read(names.padding)};
  }
};

// A field of the masks as a field of their owner.
template <auto Masks, auto Field>
struct MaskField;
template <class Owner, JsMasks Owner::* Masks, MaybeTensor JsMasks::* Field>
struct MaskField<Masks, Field> {
  static MaybeTensor get(const Owner& owner) { return owner.*Masks.*Field; }
  static void set(Owner& owner, const MaybeTensor& tensor) { owner.*Masks.*Field = tensor; }
};

template <auto Masks, class Owner>
void add_masks(emscripten::value_object<Owner>& object, const MaskNames& names = {}) {
  const auto add = [&]<class Field>(const char* name, Field) { object.field(name, &Field::get, &Field::set); };
  add(names.mask, MaskField<Masks, &JsMasks::mask>());
  add(names.bias, MaskField<Masks, &JsMasks::bias>());
  add(names.padding, MaskField<Masks, &JsMasks::padding>());
}

// The options of self-attention, in a stack or in a layer.
struct JsSelfMasks {
  JsMasks masks;
  bool is_causal = false;
};

constexpr auto fields_of(const JsSelfMasks*) { return std::tuple{}; }

inline constexpr auto kAddSelfMasks = []<class Owner>(emscripten::value_object<Owner>& object) {
  add_masks<&Owner::masks>(object);
  object.field("isCausal", &Owner::is_causal);
};

}  // namespace transformer::bindings
