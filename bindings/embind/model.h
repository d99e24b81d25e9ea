// A whole model as JavaScript holds it: a transformer or a recurrent encoder-decoder.
#pragma once

#include <string>
#include <vector>

#include "base/profiler.h"
#include "context.h"
#include "generation/generator.h"
#include "js.h"
#include "masks.h"
#include "transformer/edits.h"
#include "transformer/model_pass.h"
#include "transformer/pass_observer.h"

TRANSFORMER_NAMED_ENUM(transformer::EditKind);

namespace transformer::bindings {

// { pooling: Pooling[], skipped, unitSteps, dimensions, unit }, or undefined.
struct JsSentence : val {
  JsSentence() : val(val::undefined()) {}
  explicit JsSentence(const val& other) : val(other) {}

  SentenceCall read() const;
};

// A factor for the outputs of the heads that a pattern matches.
struct HeadFactor {
  std::string head;  // "decoder.layers.1.cross.3"
  float factor = 1.0f;
};

constexpr auto fields_of(const HeadFactor*) {
  return std::tuple{Field{"head", &HeadFactor::head}, Field{"factor", &HeadFactor::factor}};
}

template <>
inline constexpr bool kIsWhole<HeadFactor> = true;

// A change of the tensors that a pattern matches.
struct JsEdit {
  std::string at;
  JsIds rows;
  JsIds positions;
  JsIds heads;
  EditKind kind = EditKind::kSet;
  JsTensor values;
  bool in_steps = false;

  Edit read() const { return {at, rows.read(), positions.read(), heads.read(), kind, values.read("edits"), in_steps}; }
};

constexpr auto fields_of(const JsEdit*) {
  return std::tuple{
      Field{"at", &JsEdit::at},           Field{"rows", &JsEdit::rows}, Field{"positions", &JsEdit::positions},
      Field{"heads", &JsEdit::heads},     Field{"kind", &JsEdit::kind}, Field{"values", &JsEdit::values},
      Field{"inSteps", &JsEdit::in_steps}};
}

template <>
inline constexpr bool kIsWhole<JsEdit> = true;

// The options of a pass.
struct JsPassOptions {
  JsMasks memory_masks;
  JsMasks src_masks;
  JsMasks tgt_masks;
  JsIds token_types;  // [batch, source]
  JsMedia media;
  MaybeTensor others;   // [others, width], what the embeds are compared with
  JsSentence sentence;  // one vector of each text, in place of the last hidden states
  bool is_causal = ForwardCall{}.is_causal;
  bool skip_padding = ForwardCall{}.skips_padding;
  bool skip_logits = ForwardCall{}.skips_logits;
  int columns = 0;
  bool output_attentions = false;
  bool output_hidden_states = false;
  std::string last_state_before_norm;
  std::vector<std::string> trace = {};
  std::vector<HeadFactor> heads = {};
  std::vector<JsEdit> edits = {};
  bool profile = false;

  ForwardCall call(const MaybeInput& src, const MaybeInput& tgt) const;
};

constexpr auto fields_of(const JsPassOptions*) {
  return std::tuple{Field{"tokenTypes", &JsPassOptions::token_types},
                    Field{"media", &JsPassOptions::media},
                    Field{"others", &JsPassOptions::others},
                    Field{"sentence", &JsPassOptions::sentence},
                    Field{"isCausal", &JsPassOptions::is_causal},
                    Field{"skipPadding", &JsPassOptions::skip_padding},
                    Field{"skipLogits", &JsPassOptions::skip_logits},
                    Field{"columns", &JsPassOptions::columns},
                    Field{"outputAttentions", &JsPassOptions::output_attentions},
                    Field{"outputHiddenStates", &JsPassOptions::output_hidden_states},
                    Field{"lastStateBeforeNorm", &JsPassOptions::last_state_before_norm},
                    Field{"trace", &JsPassOptions::trace},
                    Field{"heads", &JsPassOptions::heads},
                    Field{"edits", &JsPassOptions::edits},
                    Field{"profile", &JsPassOptions::profile}};
}

// A generation holds it too, so that the two can be released in any order.
class ResidentModel : public std::enable_shared_from_this<ResidentModel> {
 public:
  explicit ResidentModel(Context& owner) : context(owner.shared_from_this()) {}
  virtual ~ResidentModel() = default;

  Workspace workspace() { return {arena, context->threads}; }

  // The paths of the observable tensors, found on the first call.
  const std::vector<std::string>& paths();

  virtual double parameter_count() const = 0;
  virtual std::unique_ptr<const SequenceModel> sequence_model() const = 0;
  virtual ForwardResult forward(ForwardCall call, Workspace& workspace) const = 0;

  // For each layer concerned, the factors of all its heads. invalid_argument for an unknown head.
  virtual HeadFactors head_factors(const std::vector<HeadFactor>& heads) = 0;

  // Null without edits. invalid_argument for an edit that the model cannot make.
  virtual std::unique_ptr<Edits> editor(const std::vector<JsEdit>& edits) = 0;

  std::shared_ptr<Context> context;
  Arena arena;
  double weight_bytes = 0;                // memory of the weights
  Company company;                        // of the generations of this model
  std::shared_ptr<const TokenTrie> trie;  // what its tokens write, once there is a form for it

  // The states of a grammar, with those that were found before if it is one of the last few; null for one without
  // nodes.
  std::shared_ptr<GrammarStates> form_of(GrammarTables tables);

 private:
  virtual std::vector<std::string> find_paths(Workspace& workspace) const = 0;

  std::vector<std::string> paths_;
  std::vector<std::shared_ptr<GrammarStates>> forms_;  // the latest first
};

// A tensor of a pass that was asked for.
struct JsTraced {
  std::string name;  // as in the pattern
  std::string path;
  JsTensor tensor;
};

constexpr auto fields_of(const JsTraced*) {
  return std::tuple{Field{"name", &JsTraced::name}, Field{"path", &JsTraced::path}, Field{"tensor", &JsTraced::tensor}};
}

std::vector<JsTraced> traced_by(const PassObserver& observer);

struct ProfiledPart {
  std::string path;
  double flops = 0;
  double weight_bytes = 0;
  double state_bytes = 0;
  double milliseconds = 0;
};

constexpr auto fields_of(const ProfiledPart*) {
  return std::tuple{Field{"path", &ProfiledPart::path}, Field{"flops", &ProfiledPart::flops},
                    Field{"weightBytes", &ProfiledPart::weight_bytes}, Field{"stateBytes", &ProfiledPart::state_bytes},
                    Field{"milliseconds", &ProfiledPart::milliseconds}};
}

std::vector<ProfiledPart> parts_of(const Profiler& profiler);

}  // namespace transformer::bindings
