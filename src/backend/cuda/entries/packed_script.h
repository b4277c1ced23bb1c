#pragma once

// A script and its plan as one array of 32-bit words, without addresses: how it is laid out. Host and device share it.

#include "backend/cuda/device/operation.h"

namespace cavs::cuda {

/// At the beginning. Positions count words from there.
enum HeaderWord {
  kMagicWord,
  kSizeWord,          // words in all
  kEntriesWord,       // position of the entries
  kEntryCountWord,    //
  kBackwardWord,      // first entry of ∂F, before which all meet
  kUpdateWord,        // first entry of the update, before which all meet
  kLossGradientWord,  // the float 1 / samples
  kSeedWord,          // of dropout, low and high
  kSeedHighWord,
  kEpochWord,           // of dropout
  kLossesWord,          // position of the losses
  kLossCountWord,       //
  kTouchedWord,         // position, by parameter: position and number of the table rows that have a gradient
  kUnwrittenWord,       // position of the parameters whose gradient no entry writes
  kUnwrittenCountWord,  //
  kCopiesWord,          // position of the copies from and to rows of the caller's
  kHeaderWords = 16
};
[[maybe_unused]] constexpr int kMagic = 0x53505643;

/// One for each entry of the script.
enum EntryWord {
  kOperationWord,
  kNumberWord,     // loop, first panel of a product, parameter of an update
  kShareWord,      // Share
  kFlagsWord,      // kAdds, kSignals
  kRowBeginWord,   //
  kRowEndWord,     //
  kOwnerWord,      // processor of Share::kOne; position of begin and end by processor of kColumns and kRows
  kWaitsWord,      // position of pairs of processor (-1: all) and entry
  kWaitCountWord,  //
  kOperandsWord,   // position of the operands: inputs, then outputs
  kOperandCountWord,
  kAttributesWord,  // position of what the operation has besides
  kEntryWords = 12
};
constexpr int kAdds = 1;            // to what is there
constexpr int kSignals = 2;         // some processor waits for it
constexpr int kOwned = 4;           // a product whose columns are shared as the weight's owners have them
constexpr int kBlocks = 8;          // products of no task, which are multiplied by blocks of rows and columns
constexpr int kBlockProducts = -1;  // what is then done, whatever the operation

/// What a row or column of an operand is.
enum OperandWord {
  kBufferWord,  // PackedBuffer; kFactorBuffer: of the arena, what products read
  kPortWord,    // of kPullBuffer: number in KernelArguments::pulls
  kOffsetWord,  // floats before row 0, low and high: a 64-bit number, as row 0 itself may lie outside
  kOffsetHighWord,
  kStrideWord,    // floats from row to row; 0: one row for all
  kWidthWord,     //
  kListWord,      // position of the list by row of the row that is meant, -1 none; 0: no list
  kSegmentsWord,  // position: row r stands for rows [segments[r], segments[r + 1]); 0: for itself
  kOperandWords = 8
};
enum PackedBuffer { kArenaBuffer, kParameterBuffer, kGradientBuffer, kPullBuffer, kLossGradientBuffer, kFactorBuffer };

/// Attributes of an operation that works row by row.
enum RowWord {
  kNumberAttribute,  // float: epsilon, drop probability
  kMatrixRows,
  kLabels,    // position of the list of labels; 0: none
  kMask,      // dropout: number of the mask
  kSamples,   // dropout: position of the sample of each row
  kVertices,  // dropout: position of the vertex of each row; 0: one mask for all of a sample
  kWindow,    // kernel height and width, height, width, channels, stride, padding, of images
  kRowWords = kWindow + 7
};
/// Of a lookup's gradient: positions of the table rows, of where each one's rows begin, of these; number of the first.
enum LookupWord { kTableRows, kTableOffsets, kLookedUp, kTableCount, kLookupWords };
/// The words of a product with a wide parameter and its cross-entropy; operands by their numbers, -1: there is none.
enum EntropyWord {
  kEntropyLabels,
  kHasBias,        // operand 1
  kLossOut,        //
  kDxOut,          //
  kDwOut,          //
  kDbOut,          //
  kTileRows,       // rows of a tile of logits
  kEntropyWeight,  // number of its first weight in the parameters, low and high
  kLogits = kEntropyWeight + 2,
  kEntropyWords = kLogits + kOperandWords
};
/// Of a weight gradient: rows of a matrix. Of a product: one past its last panel, and so of a group that one leads,
/// which also has the position of the list of a vertex's edges, 0 where it has none.
enum GroupWord { kGroupPanels, kGroupEdges };
/// The words of a loss, in the list of them: its operand, rows and list of labels (0: all have one).
enum LossWord { kLossOperand, kLossRows = kOperandWords, kLossLabels, kLossWords };

/// A copy between rows of an operand and rows of the caller's, which have no gaps.
enum CopyWord {
  kCopyOperand,
  kCopyRows = kOperandWords,
  kCopyList,    // position: by row, the caller's row; -1: none
  kCopyCaller,  // number in KernelArguments::callers
  kCopyKind,    // CopyKind
  kCopyWords
};
enum CopyKind { kToCaller, kAddToCaller, kFromCaller };

enum PackedShare { kShareOne, kShareColumns, kShareRows, kShareOutput, kShareTogether };

}  // namespace cavs::cuda
