#pragma once

// The layout of a script and its plan as one array of 32-bit words, without addresses. Host and device share this file.

#include "backend/cuda/device/operation.h"

namespace cavs::cuda {

/// The header. Positions count words from its beginning.
enum HeaderWord {
  kMagicWord,
  kSizeWord,          // total number of words
  kEntriesWord,       // position of the entries
  kEntryCountWord,    //
  kBackwardWord,      // first entry of ∂F, before which all processors meet
  kUpdateWord,        // first entry of the update, before which all processors meet
  kLossGradientWord,  // the float 1 / samples
  kSeedWord,          // of dropout, low and high word
  kSeedHighWord,
  kEpochWord,           // of dropout
  kLossesWord,          // position of the losses
  kLossCountWord,       //
  kTouchedWord,         // position of a pair per parameter: position and number of the table rows that have a gradient
  kUnwrittenWord,       // position of the parameters whose gradient no entry writes
  kUnwrittenCountWord,  //
  kCopiesWord,          // position of the copies from and to the caller's rows
  kHeaderWords = 16
};
[[maybe_unused]] constexpr int kMagic = 0x53505643;

/// One record for each entry of the script.
enum EntryWord {
  kOperationWord,
  kNumberWord,     // number of a loop, first panel of a product, or parameter of an update
  kShareWord,      // Share
  kFlagsWord,      // kAdds, kSignals
  kRowBeginWord,   //
  kRowEndWord,     //
  kOwnerWord,      // processor for Share::kOne; for kColumns and kRows position of a pair (begin, end) per processor
  kWaitsWord,      // position of pairs of processor (-1 means all) and entry
  kWaitCountWord,  //
  kOperandsWord,   // position of the operands: inputs, then outputs
  kOperandCountWord,
  kAttributesWord,  // position of the operation's attributes
  kEntryWords = 12
};
constexpr int kAdds = 1;            // adds to the output
constexpr int kSignals = 2;         // some processor waits for it
constexpr int kOwned = 4;           // a product whose columns are shared as the weight is owned
constexpr int kBlocks = 8;          // a product outside of tasks, multiplied in blocks of rows and columns
constexpr int kBlockProducts = -1;  // operation of kBlocks entries

/// Words of an operand.
enum OperandWord {
  kBufferWord,  // PackedBuffer; kFactorBuffer is the part of the arena that products read
  kPortWord,    // for kPullBuffer: index in KernelArguments::pulls
  kOffsetWord,  // floats before row 0, low and high word; row 0 itself may lie outside
  kOffsetHighWord,
  kStrideWord,    // floats from row to row; 0 if there is one row for all
  kWidthWord,     //
  kListWord,      // position of a list of row numbers by row (-1 means none); 0 if there is no list
  kSegmentsWord,  // position; row r means rows [segments[r], segments[r + 1]); 0 if it means itself
  kOperandWords = 8
};
enum PackedBuffer { kArenaBuffer, kParameterBuffer, kGradientBuffer, kPullBuffer, kLossGradientBuffer, kFactorBuffer };

/// Attributes of an operation that works row by row.
enum RowWord {
  kNumberAttribute,  // a float: epsilon or drop probability
  kMatrixRows,
  kLabels,    // position of the list of labels; 0 if there is none
  kMask,      // number of the mask of dropout
  kSamples,   // position of the samples of the rows, for dropout
  kVertices,  // position of the vertices of the rows, for dropout; 0 for one mask per sample
  kWindow,    // of images: kernel height and width, height, width, channels, stride, padding
  kRowWords = kWindow + 7
};
/// Attributes of a lookup's gradient: positions of table rows, of offsets of their rows, and of these; number of table
/// rows.
enum LookupWord { kTableRows, kTableOffsets, kLookedUp, kTableCount, kLookupWords };
/// Attributes of a product with a wide parameter and its cross-entropy. Operands are given by number, -1 if absent.
enum EntropyWord {
  kEntropyLabels,
  kHasBias,        // operand 1
  kLossOut,        //
  kDxOut,          //
  kDwOut,          //
  kDbOut,          //
  kTileRows,       // rows per tile of logits
  kEntropyWeight,  // offset in the parameters, low and high word
  kLogits = kEntropyWeight + 2,
  kEntropyWords = kLogits + kOperandWords
};
/// First attribute of a weight gradient: rows per matrix. For a product or a group that it leads: one past its last
/// panel. A group also has the position of the list of a vertex's edges, or 0.
enum GroupWord { kGroupPanels, kGroupEdges };
/// Words of a loss: operand, number of rows, and list of labels (0 if all rows have one).
enum LossWord { kLossOperand, kLossRows = kOperandWords, kLossLabels, kLossWords };

/// A copy between rows of an operand and the caller's rows, which are contiguous.
enum CopyWord {
  kCopyOperand,
  kCopyRows = kOperandWords,
  kCopyList,    // position of the caller's rows by row; -1 means none
  kCopyCaller,  // index in KernelArguments::callers
  kCopyKind,    // CopyKind
  kCopyWords
};
enum CopyKind { kToCaller, kAddToCaller, kFromCaller };

enum PackedShare { kShareOne, kShareColumns, kShareRows, kShareOutput, kShareTogether };

}  // namespace cavs::cuda
