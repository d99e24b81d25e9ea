// The names under which users write the values of an enum, declared once beside the enum.
#pragma once

#include <array>

namespace transformer {

template <class Enum>
struct Named {
  const char* name;
  Enum value;
};

// An enum that crosses to JavaScript has, beside it and found by its argument,
//   constexpr auto enum_names(Enum) { return std::to_array<Named<Enum>>({{"name", Enum::kName}, ...}); }

}  // namespace transformer
