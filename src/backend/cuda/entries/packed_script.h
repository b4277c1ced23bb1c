#pragma once

// The layout of a script and its plan as one array of 32-bit words without addresses. Host and device share this file.

#include "backend/cuda/device/operation.h"

namespace cavs::cuda {

/// The header. A position is a number of words from the header's beginning.
enum HeaderWord {
  kMagicWord,
  kSizeWord,          // total number of words
  kEntriesWord,       // position of the entries
  kEntryCountWord,    //
  kBackwardWord,      // number of ∂F's first entry, before which all processors meet
  kUpdateWord,        // number of the update's first entry, before which all processors meet
  kLossGradientWord,  // the float 1 / samples
  kSeedWord,          // seed of dropout, low and high word
  kSeedHighWord,
  kEpochWord,           // epoch of dropout
  kLossesWord,          // position of the losses
  kLossCountWord,       //
  kTouchedWord,         // position of a pair per parameter: position and number of table rows that have a gradient
  kUnwrittenWord,       // position of the list of parameters whose gradients no entry writes
  kUnwrittenCountWord,  //
  kCopiesWord,          // position of the copies from and to rows of the caller
  kHeaderWords = 16
};
[[maybe_unused]] constexpr int kMagic = 0x53505643;

/// The words of an entry. Each entry of the script has one record.
enum EntryWord {
  kOperationWord,
  kNumberWord,     // number of the element-wise loop, of a product's first panel, or of an update's parameter
  kShareWord,      // Share
  kFlagsWord,      // kAdds, kSignals, kOwned, kBlocks: one bit each
  kRowBeginWord,   //
  kRowEndWord,     //
  kOwnerWord,      // processor for Share::kOne; position of a pair (begin, end) per processor for kColumns and kRows
  kWaitsWord,      // position of the waits, pairs of a processor (-1 for all) and an entry
  kWaitCountWord,  //
  kOperandsWord,   // position of the operands: inputs, then outputs
  kOperandCountWord,
  kAttributesWord,  // position of the attributes of the operation
  kEntryWords = 12
};
constexpr int kAdds = 1;            // the entry adds to a gradient that an earlier entry has written
constexpr int kSignals = 2;         // a processor waits for the entry
constexpr int kOwned = 4;           // the entry is a product whose columns are shared as the weight's columns are owned
constexpr int kBlocks = 8;          // the entry is a product outside of tasks, multiplied in blocks of rows and columns
constexpr int kBlockProducts = -1;  // operation of kBlocks entries

/// The words of an operand.
enum OperandWord {
  kBufferWord,  // PackedBuffer; kFactorBuffer is the part of the arena that products read
  kPortWord,    // for kPullBuffer, the index in KernelArguments::pulls
  kOffsetWord,  // floats before row 0, low and high word; row 0 itself may be outside of the buffer
  kOffsetHighWord,
  kStrideWord,    // floats from row to row; 0 if row 0 is used for all rows
  kWidthWord,     //
  kListWord,      // position of a list: entry row r uses row list[r], or none if that is -1; 0: no list
  kSegmentsWord,  // position: r becomes all of [segments[r], segments[r + 1]); 0: only r
  kOperandWords = 8
};
enum PackedBuffer { kArenaBuffer, kParameterBuffer, kGradientBuffer, kPullBuffer, kLossGradientBuffer, kFactorBuffer };

/// Attributes of an operation that works row by row.
enum RowWord {
  kNumberAttribute,  // a float: epsilon or drop probability
  kMatrixRows,       // rows of the matrix in each row
  kLabels,           // position of the list of labels; 0 if there is none
  kMask,             // number of the dropout mask
  kSamples,          // position of the sample of each row, for dropout
  kVertices,         // position of the vertex of each row, for dropout; 0 for one mask per sample
  kWindow,           // window of images: kernel height and width, height, width, channels, stride, padding
  kRowWords = kWindow + 7
};
/// Attributes of a lookup's gradient: positions of the table rows, of the offsets of each table row's list, and of
/// these lists of rows; then the number of table rows.
enum LookupWord { kTableRows, kTableOffsets, kLookedUp, kTableCount, kLookupWords };
/// Attributes of a softmax cross-entropy of a product. An operand is given by its number; -1 if it is absent.
enum EntropyWord {
  kEntropyLabels,
  kHasBias,        // 1 if operand 1 is a bias
  kLossOut,        //
  kDxOut,          //
  kDwOut,          //
  kDbOut,          //
  kTileRows,       // rows per tile of logits
  kEntropyWeight,  // offset in the parameters, low and high word
  kLogits = kEntropyWeight + 2,
  kEntropyWords = kLogits + kOperandWords
};
/// Attributes of a product, or of a group that begins with one: end of its panels, and in a group the position of the
/// list of a vertex's edges, or 0. A weight gradient has one attribute, its number of rows per matrix.
enum GroupWord { kGroupPanels, kGroupEdges };
/// The words of a loss: operand, number of rows, and position of the list of labels (0 if all rows have a label).
enum LossWord { kLossOperand, kLossRows = kOperandWords, kLossLabels, kLossWords };

/// The words of a copy between rows of an operand and rows of the caller, which are contiguous.
enum CopyWord {
  kCopyOperand,
  kCopyRows = kOperandWords,
  kCopyList,    // position of a list: the caller's row for each row; -1: none
  kCopyCaller,  // index in KernelArguments::callers
  kCopyKind,    // CopyKind
  kCopyWords
};
enum CopyKind { kToCaller, kAddToCaller, kFromCaller };

/// The values of Share (script.h).
enum PackedShare { kShareOne, kShareColumns, kShareRows, kShareOutput, kShareTogether };

}  // namespace cavs::cuda
