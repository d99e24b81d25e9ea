// All C++ memory goes through here, to be counted: the allocator itself can only walk over its whole heap, which takes
// 15 to 30 us, more than the rest of a small call.
#include "heap.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> in_use = 0;
std::atomic<std::size_t> refused = 0;

// In front of a block: its size as it was asked for. The allocator's own, rounded up, would count what nobody asked
// for.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) Header {
  std::size_t size;
};

}  // namespace

void* operator new(std::size_t size) {
  const bool is_possible = size <= SIZE_MAX - sizeof(Header);
  auto* const header = is_possible ? static_cast<Header*>(std::malloc(sizeof(Header) + size)) : nullptr;
  if (!header) {
    refused.store(size, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  header->size = size;
  in_use.fetch_add(size, std::memory_order_relaxed);
  return header + 1;
}

void operator delete(void* block) noexcept {
  if (!block) return;
  Header* const header = static_cast<Header*>(block) - 1;
  in_use.fetch_sub(header->size, std::memory_order_relaxed);
  std::free(header);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace transformer::bindings {

std::size_t heap_bytes() { return in_use.load(std::memory_order_relaxed); }

std::size_t refused_bytes() { return refused.load(std::memory_order_relaxed); }

}  // namespace transformer::bindings
