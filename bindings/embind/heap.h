// How much memory C++ objects take.
#pragma once

#include <cstddef>

namespace transformer::bindings {

std::size_t heap_bytes();

// Of the last object that did not fit.
std::size_t refused_bytes();

}  // namespace transformer::bindings
