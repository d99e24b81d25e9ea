// The public names of a struct's fields, declared once beside the struct.
#pragma once

#include <tuple>

namespace transformer {

template <class Owner, class T>
struct Field {
  const char* name;
  T Owner::* member;
};

// A struct that crosses to JavaScript declares beside it, for argument-dependent lookup,
//   constexpr auto fields_of(const Struct*) { return std::tuple{Field{"name", &Struct::name}, ...}; }

}  // namespace transformer
