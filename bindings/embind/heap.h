// How much memory C++ objects take.
#pragma once

#include <cstddef>

namespace transformer::bindings {

std::size_t heap_bytes();

}  // namespace transformer::bindings
