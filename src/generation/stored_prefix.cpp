#include "generation/stored_prefix.h"

#include <algorithm>
#include <numeric>

#include "attention/kv_cache.h"

namespace transformer {

namespace {

constexpr int kTokens = KvCache::kPageTokens;

bool has_page(std::span<const int> ids, int place) { return place >= 0 && place < count_of(ids) / kTokens; }

std::span<const int> ids_of(std::span<const int> ids, int place) { return ids.subspan(place * kTokens, kTokens); }

// The page before this place, or negative.
int find_before(PrefixCache& prefixes, std::span<const int> ids, int place) {
  prefixes.begin();
  int found = PrefixCache::kFirst;
  for (int i = 0; i < place; ++i) {
    found = prefixes.find(found, ids_of(ids, i));
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

Tensor stored_page(PrefixCache& prefixes, std::span<const int> ids, int place) {
  if (!has_page(ids, place)) return Tensor({0});
  const int found = find_before(prefixes, ids, place + 1);
  if (found < 0) return Tensor({0});
  const PrefixCache::Page& page = prefixes.page(found);
  const auto add = [](std::size_t sum, const auto& layer) { return sum + layer->size(); };
  Tensor numbers({static_cast<int>(std::accumulate(page.begin(), page.end(), std::size_t{0}, add))});
  float* to = numbers.data();
  for (const auto& layer : page) to = std::copy_n(layer->data(), layer->size(), to);
  return numbers;
}

bool restore_page(const SequenceModel& model, PrefixCache& prefixes, std::span<const int> ids, int place,
                  const Tensor& numbers, Workspace& workspace) {
  require(has_page(ids, place), "the ids do not fill page ", place);
  const std::vector<std::size_t> sizes = sizes_of_page(model, prefixes, workspace);
  if (sizes.empty()) return false;
  const std::size_t floats = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  require(numbers.size() == floats, "a page has ", floats, " numbers, got ", numbers.size());
  const int before = find_before(prefixes, ids, place);
  if (place > 0 && before < 0) return false;
  if (prefixes.find(before, ids_of(ids, place)) >= 0) return true;
  PrefixCache::Page page;
  const float* from = numbers.data();
  for (std::size_t size : sizes) {
    page.push_back(std::make_shared<Buffer>(size));
    std::copy_n(from, size, page.back()->data());
    from += size;
  }
  return prefixes.add(before, ids_of(ids, place), std::move(page)) >= 0;
}

}  // namespace transformer
