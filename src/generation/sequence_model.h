// All that a generator needs of a model: sequences that go on token by token, each token with the logits of the next.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/segments.h"
#include "base/workspace.h"
#include "generation/grammar.h"
#include "generation/prefix_cache.h"
#include "generation/shortlist.h"
#include "transformer/front_end.h"

namespace transformer {

struct GenerationInput {
  // The encoder's input, one source per sequence: ids, or vectors [batch, time, d_model] if it has no embedding.
  std::vector<std::vector<int>> sources;
  ConstView source_vectors = {};
  // In place of either: sound or pictures, one of each sequence. Read when the decoding starts.
  const MediaTensors* media = nullptr;
  // The encoder's output [batch * time, d_model], in place of sources: for several generations from one encoding.
  ConstView memory = {};
  std::vector<std::vector<int>> prompts;  // the ids that each sequence starts with, at least one
  // The number of padding ids at the start of each prompt; empty: none are padded. The logits rules see the padding, as
  // in Hugging Face's transformers, but the decoder does not.
  std::vector<int> padding = {};
  // The tokens that can be chosen for each input, in place of the options' shortlist; empty: that one applies to all.
  std::vector<std::vector<int>> shortlists = {};
  // What is generated keeps to a form, as do the last `form_begun` ids of every prompt, with which it begins; or none.
  std::shared_ptr<GrammarStates> form = nullptr;
  int form_begun = 0;
  // What the model remembers of earlier sequences and sources; or none.
  PrefixCache* prefixes = nullptr;

  bool takes_ids() const { return !source_vectors.data && !memory.data && !media; }
};

// Ids of sequences of any lengths, one after the other.
struct JoinedIds {
  explicit JoinedIds(const std::vector<std::vector<int>>& sequences);

  Segments segments() const { return {count_of(offsets) - 1, longest, offsets}; }

  std::vector<int> ids;
  std::vector<int> offsets = {0};
  int longest = 0;
};

// Sequences in the making.
class Decoding {
 public:
  virtual ~Decoding() = default;

  // There are parents.size() rows then, and row i goes on from what row parents[i] was. Rows with the same input stay
  // neighbours, and inputs in their order.
  virtual void reorder(std::span<const int> parents) = 0;

  // The rows of another one of the same model follow its own: either all of them or, with std::bad_alloc, none. False
  // where sequences cannot join others in the middle.
  virtual bool join(Decoding& /*other*/) { return false; }

  // Feeds every row as many of the tokens as its segment has -> logits [rows, columns] of what follows the last of
  // them; or, if it can forget, [tokens of all rows, columns] of what follows each of them. Only the first tokens of a
  // sequence may differ in number from those of others.
  virtual void forward(std::span<const int> tokens, const Segments& rows, View logits, Workspace& workspace) = 0;

  // Feeds a row that was fed nothing, or what it recalls, as many tokens as its segment has -> at those tokens whose
  // next one is given, its log-probability; a negative id: none is. invalid_argument where tokens cannot be fed
  // together.
  virtual void score(std::span<const int> tokens, const Segments& rows, std::span<const int> next,
                     std::span<float> scores, Workspace& workspace);

  // The numbers of a page in each layer; empty where no pages are remembered.
  virtual std::vector<std::size_t> page_floats() const { return {}; }
  // Whether there is room to remember this many tokens of a sequence.
  virtual bool remembers(int /*tokens*/) const { return false; }
  // Takes over what is remembered of the first ids of a row that was fed nothing -> how many, but never all of them.
  virtual int recall(int /*row*/, std::span<const int> /*ids*/) { return 0; }
  // To be called after the last `fed` of a row's ids were fed: remembers pages that they have filled.
  virtual void remember(int /*row*/, std::span<const int> /*ids*/, int /*fed*/) {}

  // Whether tokens that a row was fed can be forgotten again, and tokens fed together are the same as one by one.
  virtual bool can_forget() const { return false; }
  virtual void forget(int /*row*/, int /*count*/) {}  // the last ones
};

struct DecodingSize {
  int rows;      // at most and at first: a multiple of the number of inputs, whose rows are neighbours
  int capacity;  // tokens that a row is fed at most
};

class SequenceModel {
 public:
  virtual ~SequenceModel() = default;

  virtual int vocab() const = 0;         // tokens that can be chosen
  virtual bool has_encoder() const = 0;  // whether there are sources
  virtual int max_length() const = 0;    // tokens that a sequence can be fed
  // Whether sequences of several callers are decoded together: each costs nothing more when it has ended.
  virtual bool can_share() const { return false; }

  // Encodes the sources. The first logits of a row have a column for each token of the shortlist: that of its input, or
  // the only one.
  virtual std::unique_ptr<Decoding> start(const GenerationInput& input, const DecodingSize& size,
                                          std::span<const Shortlist> shortlists, Workspace& workspace) const = 0;
};

class Transformer;
class RecurrentEncoderDecoder;

// The model as a generator sees it; it must outlive what is made of it. invalid_argument where it cannot be fed the
// tokens that were chosen.
std::unique_ptr<const SequenceModel> make_sequence_model(const Transformer& model);
std::unique_ptr<const SequenceModel> make_sequence_model(const RecurrentEncoderDecoder& model);

// Ids of sequences of different lengths, padded at the end by what each ends with: [batch * time].
struct PaddedIds {
  explicit PaddedIds(const std::vector<std::vector<int>>& sequences);

  int batch;
  int time;
  std::vector<int> ids;
  std::vector<int> lengths;
};

}  // namespace transformer
