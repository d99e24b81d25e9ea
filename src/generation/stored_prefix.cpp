#include "generation/stored_prefix.h"

#include <algorithm>
#include <numeric>

#include "attention/kv_cache.h"

namespace transformer {

namespace {

constexpr int kTokens = KvCache::kPageTokens;

bool is_filled(const PlacedPage& page) { return page.place >= 0 && page.place < count_of(page.ids) / kTokens; }

std::span<const int> ids_of(const PlacedPage& page, int place) { return page.ids.subspan(place * kTokens, kTokens); }

// The last of so many pages from the first one on, or negative.
int find_last(PrefixCache& prefixes, const PlacedPage& page, int count) {
  prefixes.begin();
  int found = PrefixCache::kFirst;
  for (int place = 0; place < count; ++place) {
    found = prefixes.find(found, ids_of(page, place));
    if (found < 0) break;
  }
  return found;
}

// Of each layer; empty where the model remembers no pages.
std::vector<std::size_t> sizes_of_page(const SequenceModel& model, PrefixCache& prefixes, Workspace& workspace) {
  if (model.has_encoder()) return {};
  GenerationInput input;
  input.prompts = {{0}};
  input.prefixes = &prefixes;
  const Shortlist everything{GenerationOptions()};
  return model.start(input, {1, kTokens}, {&everything, 1}, workspace)->page_floats();
}

}  // namespace

Tensor stored_page(PrefixCache& prefixes, const PlacedPage& page) {
  const int found = is_filled(page) ? find_last(prefixes, page, page.place + 1) : -1;
  if (found < 0) return Tensor({0});
  const PrefixCache::Page& layers = prefixes.page(found);
  const auto add = [](std::size_t sum, const auto& layer) { return sum + layer->size(); };
  Tensor numbers({static_cast<int>(std::accumulate(layers.begin(), layers.end(), std::size_t{0}, add))});
  float* to = numbers.data();
  for (const auto& layer : layers) to = std::copy_n(layer->data(), layer->size(), to);
  return numbers;
}

bool restore_page(const SequenceModel& model, PrefixCache& prefixes, const PlacedPage& page, const Tensor& numbers,
                  Workspace& workspace) {
  require(is_filled(page), "the ids do not fill page ", page.place);
  const std::vector<std::size_t> sizes = sizes_of_page(model, prefixes, workspace);
  if (sizes.empty()) return false;
  const std::size_t floats = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  require(numbers.size() == floats, "a page has ", floats, " numbers, got ", numbers.size());
  const int before = find_last(prefixes, page, page.place);
  if (page.place > 0 && before < 0) return false;
  const std::span<const int> ids = ids_of(page, page.place);
  if (prefixes.find(before, ids) >= 0) return true;
  PrefixCache::Page layers;
  const float* from = numbers.data();
  for (std::size_t size : sizes) {
    layers.push_back(std::make_shared<Buffer>(size));
    std::copy_n(from, size, layers.back()->data());
    from += size;
  }
  return prefixes.add(before, ids, std::move(layers)) >= 0;
}

}  // namespace transformer
