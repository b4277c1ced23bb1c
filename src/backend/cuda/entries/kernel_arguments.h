#pragma once

// Data that the host passes to kernels. Host and device share this file.

#include "backend/cuda/device/optimizer_step.h"

namespace cavs::cuda {

/// Results that a launch leaves for the host.
struct StepResult {
  double loss;       // the sum of all losses
  double norm;       // norm of all gradients that are not frozen, before clipping
  unsigned updated;  // 0 if loss or norm was not finite, so that no parameter was changed
  unsigned unused;
};

/// Words between the counters of two processors in `progress`, so that each counter has its own line of the L2 cache.
constexpr unsigned kCounterStride = 32;

/// Squares per sum. They do not depend on the number of processors, so the norm does not, either.
constexpr int kSquareBlock = 4096;

/// Moments of an entry that a processor records by its clock, if KernelOptions::clocks is set: begun, operands found,
/// waits over, done, and other processors told.
enum Moment { kBegun, kFound, kReady, kDone, kTold, kMoments };

/// A row to copy, or to clear if `from` is null.
struct RowCopy {
  const float* from;
  float* to;
};

/// States that a launch copies to their slots (KeptPort).
struct StateCopies {
  const RowCopy* rows;  // [vertices, states] a state's row and its slot
  const int* widths;    // [states]
  int* finite;          // [vertices] output: 1 if all copied numbers of the vertex are finite, else 0
  int vertices, states;
};

/// A word and the log_softmax of its logit.
struct WordScore {
  int word;  // -1 if there is none
  float score;
};

/// Rows of logits in which a launch finds the most probable words, like cpu::best_words.
struct WordSearch {
  const float* const* logits;  // [rows]
  const int* forced;           // [rows] the only allowed word, or -1 for any word
  WordScore* best;             // [rows, count] output, best word first
  int rows, width, count;      // rows of logits; words per row; words to find per row
};

/// The argument of kernels. All pointers are device addresses. Parameters, gradients and the optimiser's state have the
/// layout of parameter_offsets(). The launch is cooperative, with one block of kernel_threads() per processor.
struct KernelArguments {
  float* arena;                   // Plan::arena floats with any contents
  unsigned short* halves;         // the arena's numbers that products read, in bf16; null if kernels store none
  unsigned short* weight_halves;  // parameters that products read, in bf16, with the layout of `parameters`; or null
  float* parameters;              // changed by the update
  float* gradients;               // any contents; table rows without a gradient are cleared if kTouchedRows is off
  float* slots[2];                // state of the optimiser; null if it has none
  const float* const* pulls;   // [Program::float_ports] rows of the data set, then [Program::states] the caller's rows
                               // of kept states, which kernels may write, or null
  const ParameterStep* steps;  // [parameters]
  const int* words;            // the minibatch, see packed_script.h
  unsigned* progress;          // [(processors + 1) * kCounterStride], all 0 before each launch
  double* squares;             // [square_blocks()]
  StepResult* result;
  UpdateRule rule;
  float clip_norm;      // largest norm of gradients; 0 for no clipping
  int follows;          // 1 to update nothing if the previous step has updated nothing
  const float* addend;  // gradients of another minibatch, to add to `gradients`
  float* averages;      // averages of the parameters, to move
  float average_rate;   // fraction of the distance to the parameters by which averages move
  WordSearch search;    // for searches of words
  StateCopies copies;   // for copies of states
  // The next two are for KernelOptions::callers.
  float* const* weights;  // [parameters] the caller's address of the parameter, minus its offset in parameter_offsets()
  float* const* callers;  // [arrays of the caller] rows to copy from or to; null: copies zeros
  long long* clocks;      // [entries, processors, kMoments]; 0 where a processor has no part; see KernelOptions::clocks
};

}  // namespace cavs::cuda
