// What a model is to learn from rows of tokens: for Dataset::Objective().
// docs/tensors.md lists the tensors of each.
//
// What is drawn at random is a function of {seed, epoch, the data, the record}:
// the same on any number of hosts and threads. All keep how many values a
// record has, or say beforehand what it becomes, so that a plan stays one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/derive.h"

namespace penstock {

// The next token. Makes "<of>_labels" and "<of>_loss_weights".
struct CausalLm {
  std::string of = "tokens";
  int64_t ignore = -100;
  PieceEnd piece_end = PieceEnd::kNextToken;
  std::string prompt = "";  // LossWeightsOptions::prompt
};

// The next token behind a prefix that is attended to in both directions; its
// length is drawn from 1 to one less than the piece's, each as likely. Makes
// "<of>_prefix" (bool, 1 on the prefix), "<of>_labels" and
// "<of>_loss_weights".
struct PrefixLm {
  std::string of = "tokens";
  uint64_t seed = 0;
  int64_t ignore = -100;
  PieceEnd piece_end = PieceEnd::kNextToken;
};

// The next token, where some pieces are rearranged so that their middle comes
// last: prefix_id P suffix_id S middle_id M, or (SPM) prefix_id suffix_id S
// middle_id P M. As their length stays, S loses its last three tokens; a piece
// whose S has no more stays as it is. Makes what CausalLm makes.
//
// Source:  Bavarian et al., "Efficient training of language models to fill in
//          the middle", 2022; cuts as in BigCode's Megatron-LM.
struct FillInMiddle {
  std::string of = "tokens";
  uint64_t seed = 0;
  double rate = 0.5;      // of pieces that are rearranged
  double spm_rate = 0.5;  // of those, in the order SPM
  int64_t prefix_id = -1;
  int64_t middle_id = -1;
  int64_t suffix_id = -1;
  int64_t ignore = -100;
};

// Some tokens from all others. Each token (or word) is chosen with probability
// `rate`; of the tokens chosen, parts become mask_id and random tokens, and the
// rest stay. Changes `of` and makes "<of>_labels" (what was there, `ignore`
// where nothing was chosen) and "<of>_loss_weights". How a record is cut into
// pieces changes no choice.
//
// Source:  Devlin et al., "BERT", 2019; chosen anew in each epoch as in Liu et
//          al., "RoBERTa", 2019.
struct MaskedLm {
  std::string of = "tokens";
  uint64_t seed = 0;
  double rate = 0.15;
  double mask_part = 0.8;
  double random_part = 0.1;
  int64_t mask_id = -1;
  int64_t vocabulary = 0;  // random tokens are below
  // [vocabulary]: tokens that begin a word. Where given, whole words are
  // chosen.
  std::vector<bool> word_starts = {};
  std::vector<int64_t> never = {};  // tokens that are not chosen
  int64_t ignore = -100;
};

// Spans that are left out, each replaced by a sentinel. Makes, instead of `of`,
// "<of>_inputs" and "<of>_targets" with lengths of their own, which are known
// from the lengths of records: of 568 tokens there are 512 and 114.
//
// Source:  Raffel et al., "Exploring the limits of transfer learning", 2020;
//          random_spans_noise_mask of its published code.
struct SpanCorruption {
  std::string of = "tokens";
  uint64_t seed = 0;
  double density = 0.15;   // of tokens that are left out
  double mean_length = 3;  // of spans
  int64_t sentinel = -1;   // of the first span; those of the next go down by 1
  std::optional<int64_t> eos = std::nullopt;  // ends inputs and targets
};

}  // namespace penstock
