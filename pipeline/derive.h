// Tensors that are made from where the pieces of a row lie, and never from
// values: for Dataset::Derive(). docs/tensors.md lists them with their shapes.
#pragma once

#include <cstdint>
#include <string>

namespace penstock {

enum class Derivation {
  kSegmentIds,
  kSegmentLengths,
  kPositions,
  kLabels,
  kLossWeights,
};

// Where the record of a piece goes on behind the piece, as its row was cut.
enum class PieceEnd {
  kNextToken,  // the label of the last token is the record's next one
  kIgnore,     // it has none, as at the end of a record
};

// What the positions of a piece count.
enum class PositionsIn {
  kPiece,   // 0 at the beginning of each piece, also in the middle of a record
  kRecord,  // 0 at the beginning of the record
};

// Made by the functions below.
struct Derived {
  Derivation kind = Derivation::kSegmentIds;
  std::string of;    // a feature of any number of values
  std::string name;  // of the tensor
  int64_t ignore = -100;
  PieceEnd piece_end = PieceEnd::kNextToken;
  PositionsIn positions_in = PositionsIn::kPiece;
  std::string prompt = "";
  int64_t most = 0;
};

// int32 [rows, length]: 1, 2 ... for the pieces of a row, 0 where it pads.
Derived SegmentIds(std::string of, std::string to = "");

// int32 [rows, most]: values of each piece of a row, then 0. A row of more
// pieces is an error.
Derived SegmentLengths(std::string of, int64_t most, std::string to = "");

struct PositionsOptions {
  PositionsIn in = PositionsIn::kPiece;
  std::string to = "";  // by default "<of>_positions"
};
// int32 [rows, length]; 0 where the row pads.
Derived Positions(std::string of, PositionsOptions options = {});

struct LabelsOptions {
  int64_t ignore = -100;  // where there is no next token, and of padding
  PieceEnd piece_end = PieceEnd::kNextToken;
  std::string to = "";  // by default "<of>_labels"
};
// int32 [rows, length]: of each token the next one of its piece. int64 where
// the feature is int64 or uint32.
Derived Labels(std::string of, LabelsOptions options = {});

struct LossWeightsOptions {
  // An int64 feature of one value: how many tokens of the record, from its
  // first, are given and not to be learned. The last of them has weight 1, as
  // its label is the first that is to be learned.
  std::string prompt = "";
  PieceEnd piece_end = PieceEnd::kNextToken;  // as of Labels
  std::string to = "";                        // by default "<of>_loss_weights"
};
// float32 [rows, length]: 1 where Labels has a next token and it is none of the
// prompt, otherwise 0.
Derived LossWeights(std::string of, LossWeightsOptions options = {});

}  // namespace penstock
