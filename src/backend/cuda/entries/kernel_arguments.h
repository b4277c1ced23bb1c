#pragma once

// Data that the host passes to the kernel. Host and device share this file.

#include "backend/cuda/device/optimizer_step.h"

namespace cavs::cuda {

/// Results of a launch for the host.
struct StepResult {
  double loss;       // the sum of all losses
  double norm;       // of all gradients that are not frozen, before clipping
  unsigned updated;  // 0 if loss or norm were not finite, and no parameter was changed
  unsigned unused;
};

/// Distance in words between the counters of two processors in `progress`. Each has its own line of the L2.
constexpr unsigned kCounterStride = 32;

/// Numbers per sum of squares, for any number of processors.
constexpr int kSquareBlock = 4096;

/// Times that a processor records for an entry if KernelOptions::clocks is on, by its own clock.
enum Moment { kBegun, kFound, kReady, kDone, kTold, kMoments };

/// A row to copy, or to clear if `from` is null.
struct RowCopy {
  const float* from;
  float* to;
};

/// States that a launch copies to their slots.
struct StateCopies {
  const RowCopy* rows;  // [vertices, states]
  const int* widths;    // [states]
  int* finite;          // [vertices] output: 1 if all numbers are finite
  int vertices, states;
};

/// A word and its log_softmax.
struct WordScore {
  int word;  // -1 if there is none
  float score;
};

/// Rows of logits in which a launch finds the most probable words, as cpu::best_words does.
struct WordSearch {
  const float* const* logits;  // [rows]
  const int* forced;           // [rows] the only allowed word; -1 allows any
  WordScore* best;             // [rows, count] output, best first
  int rows, width, count;
};

/// All pointers are device addresses. Parameters, gradients and the optimiser's state have the layout of
/// parameter_offsets(). The kernel is launched cooperatively with one block of kernel_threads() per processor.
struct KernelArguments {
  float* arena;                   // Plan::arena floats; any contents
  unsigned short* halves;         // as many, in bf16, of values that products read; null if kernels keep none
  unsigned short* weight_halves;  // parameters that products read, in bf16, with the layout of `parameters`; or null
  float* parameters;              // the update changes them
  float* gradients;               // any contents; rows of tables without gradient are cleared where kTouchedRows is off
  float* slots[2];                // state of the optimiser; null if it has none
  const float* const* pulls;   // [Program::float_ports] rows of the data set, then [Program::states] the caller's rows
                               // of kept states, which kernels may write, or null
  const ParameterStep* steps;  // [parameters]
  const int* words;            // the minibatch, see packed_script.h
  unsigned* progress;          // [(processors + 1) * kCounterStride], 0 before each launch
  double* squares;             // [square_blocks()]
  StepResult* result;
  UpdateRule rule;
  float clip_norm;      // 0 means no clipping
  int follows;          // 1 to update nothing if the previous step has updated nothing
  const float* addend;  // gradients of another minibatch, to be added to these
  float* averages;      // averages of the parameters, to be moved
  float average_rate;   // fraction of the distance to move
  WordSearch search;    // for a search of words
  StateCopies copies;   // for keeping states
  // KernelOptions::callers
  float* const* weights;  // [parameters] begin of the layout if that parameter's memory were a part of it
  float* const* callers;  // rows of the caller to copy from or to; null means zeros
  long long* clocks;      // [entries, processors, kMoments]; 0 where a processor has no part; see KernelOptions::clocks
};

}  // namespace cavs::cuda
