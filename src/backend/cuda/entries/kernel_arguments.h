#pragma once

// What the host hands to the kernel. Host and device share it.

#include "backend/cuda/device/optimizer_step.h"

namespace cavs::cuda {

/// What a launch tells the host.
struct StepResult {
  double loss;       // the sum of all losses
  double norm;       // of all gradients that are not frozen, before clipping
  unsigned updated;  // 0: loss or norm were not finite, and no parameter was changed
  unsigned unused;
};

/// Distance of two processors' counters in `progress`, in words: each has a line of the L2 of its own.
constexpr unsigned kCounterStride = 32;

/// Numbers of which one sum of squares is made, whatever the number of processors.
constexpr int kSquareBlock = 4096;

/// What a processor notes of an entry, where KernelOptions::clocks is on: its own clock, which is no other's.
enum Moment { kBegun, kFound, kReady, kDone, kTold, kMoments };

/// A row to be copied, or cleared where `from` is null.
struct RowCopy {
  const float* from;
  float* to;
};

/// States that a launch copies to where they are kept.
struct StateCopies {
  const RowCopy* rows;  // [vertices, states]
  const int* widths;    // [states]
  int* finite;          // [vertices] whether all numbers are; written
  int vertices, states;
};

/// A word and its log_softmax.
struct WordScore {
  int word;  // -1: none
  float score;
};

/// Rows of logits of which a launch finds the most probable words, as cpu::best_words does.
struct WordSearch {
  const float* const* logits;  // [rows]
  const int* forced;           // [rows] the only word that may be found, -1: any
  WordScore* best;             // [rows, count] written, best first
  int rows, width, count;
};

/// All pointers are device addresses. Parameters, gradients and the optimiser's state have one layout, that of
/// parameter_offsets(). The kernel is launched cooperatively with one block of kernel_threads() a processor.
struct KernelArguments {
  float* arena;                   // Plan::arena floats; of any contents
  unsigned short* halves;         // as many, in bf16: of what products read; null where kernels keep none
  unsigned short* weight_halves;  // the parameters that products read, in bf16, as `parameters` has them; the same
  float* parameters;              // changed by the update
  float* gradients;            // of any contents; rows of tables without gradient are cleared where kTouchedRows is off
  float* slots[2];             // state of the optimiser; null where it has none
  const float* const* pulls;   // [Program::float_ports] the data set's rows; then [Program::states] the rows that the
                               // caller keeps of a state, which kernels may write; null: it keeps none
  const ParameterStep* steps;  // [parameters]
  const int* words;            // the minibatch, see packed_script.h
  unsigned* progress;          // [(processors + 1) * kCounterStride], 0 before each launch
  double* squares;             // [square_blocks()]
  StepResult* result;
  UpdateRule rule;
  float clip_norm;      // 0: none
  int follows;          // 1: nothing is updated where the step before has updated nothing
  const float* addend;  // gradients of another minibatch, that a launch adds to these
  float* averages;      // of the parameters, that a launch moves
  float average_rate;   // towards them by this part
  WordSearch search;    // of a launch that searches words
  StateCopies copies;   // of a launch that keeps states
  // KernelOptions::callers
  float* const* weights;  // [parameters] where the layout would begin if that parameter's memory were a part of it
  float* const* callers;  // rows of the caller's that launches copy from or to; null: zeros
  long long* clocks;  // [entries, processors, kMoments], 0 of what a processor has no part in; KernelOptions::clocks
};

}  // namespace cavs::cuda
