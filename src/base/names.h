// The public names of an enum's values, declared once beside the enum.
#pragma once

#include <array>

namespace transformer {

template <class Enum>
struct Named {
  const char* name;
  Enum value;
};

// An enum that crosses to JavaScript declares beside it, for argument-dependent lookup,
//   constexpr auto enum_names(Enum) { return std::to_array<Named<Enum>>({{"name", Enum::kName}, ...}); }

}  // namespace transformer
