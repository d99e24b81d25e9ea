// The layers of inference as layers that learn: with the same configs, names of weights and observable paths.
#pragma once

#include <memory>
#include <optional>

#include "training/attention.h"
#include "training/operations.h"
#include "transformer/config.h"

namespace transformer::training {

class LinearLayer {
 public:
  // scope: weight [out_features, in_features]; bias [out_features] (optional)
  LinearLayer(const ParameterScope& scope, int in_features, int out_features, bool bias);
  // Shares a weight.
  LinearLayer(Parameter& weight, Parameter* bias) : weight_(&weight), bias_(bias) {}

  Value forward(Tape& tape, Value x) const { return linear(tape, x, *weight_, bias_); }

 private:
  Parameter* weight_;
  Parameter* bias_;
};

class NormLayer {
 public:
  // scope: weight [width]; bias [width] (optional)
  NormLayer(const ParameterScope& scope, int width, const NormConfig& config);

  Value forward(Tape& tape, Value x) const { return norm(tape, x, config_, *weight_, bias_); }

 private:
  NormConfig config_;
  Parameter* weight_;
  Parameter* bias_;
};

// Rotary positions, or none.
using MaybeRotation = std::shared_ptr<const Rotation>;

class AttentionLayer {
 public:
  // scope: q_proj, k_proj, v_proj, out_proj; q_norm, k_norm if there is such a norm
  // memory_width: of what keys and values are projected from
  AttentionLayer(const ParameterScope& scope, const AttentionConfig& config, int memory_width, MaybeRotation rotation);

  // x of the queries, memory of the keys, each with its segments.
  struct Input {
    Value x;
    Value memory;
    Segments tokens;
    Segments memory_tokens;
    bool causal;
  };
  Value forward(Tape& tape, const Input& input) const;

 private:
  Value place(Tape& tape, Value x, const std::optional<NormLayer>& norm, const Segments& tokens) const;

  AttentionConfig config_;
  MaybeRotation rotation_;
  LinearLayer q_proj_;
  LinearLayer k_proj_;
  LinearLayer v_proj_;
  LinearLayer out_proj_;
  std::optional<NormLayer> q_norm_;
  std::optional<NormLayer> k_norm_;
};

class FeedForwardLayer {
 public:
  // scope: fc1, gate if gated, fc2
  FeedForwardLayer(const ParameterScope& scope, const FeedForwardConfig& config);

  Value forward(Tape& tape, Value x) const;

 private:
  Activation activation_;
  LinearLayer fc1_;
  std::optional<LinearLayer> gate_;
  LinearLayer fc2_;
};

// A sub-layer with its residual connection and its norms, as NormPlace describes.
class Block {
 public:
  // scope: of the layer; name: of the sub-layer
  Block(const ParameterScope& scope, const char* name, const LayerConfig& config, bool has_norm = true);

  // input: x, or what x was before a parallel block
  template <class Sublayer>
  Value forward(Tape& tape, Value x, Value input, const Sublayer& sublayer) const {
    const PathScope path(tape.workspace(), name_);
    const Value in = before_ ? before_->forward(tape, input) : input;
    Value branch = sublayer(in);
    if (branch_) branch = branch_->forward(tape, branch);
    const Value sum = add(tape, place_ == NormPlace::kPreResidual ? in : x, branch, scale_);
    return sum_ ? sum_->forward(tape, sum) : sum;
  }

 private:
  const char* name_;
  NormPlace place_;
  float scale_;
  std::optional<NormLayer> before_;
  std::optional<NormLayer> branch_;
  std::optional<NormLayer> sum_;
};

}  // namespace transformer::training
