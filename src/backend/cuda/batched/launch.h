#pragma once

// Data that the host passes to the kernels of the batched engine. Host and device share this file.

#include "backend/cuda/entries/kernel_arguments.h"

namespace cavs::cuda {

/// A range of entries of a script, [begin, end), that one graph of launches runs.
struct Stretch {
  int begin, end;
};

/// Data in GPU memory that all launches of a minibatch share. The arguments' `progress` and `clocks` are null.
struct Pass {
  KernelArguments arguments;
  const Stretch* next;  // the stretches that have not begun
  Stretch stretch;      // the current stretch
};

/// The only argument of a kernel. A launch in a graph has the same argument for every minibatch.
struct Launch {
  Pass* pass;
  int entry;       // number of the entry in the script; in a graph, number in the current stretch
  int tile;        // number of a tile of a softmax over words; for kCopyRowsOfCaller, number of copies
  int of_stretch;  // 1 if the launch is in a graph, else 0
};

}  // namespace cavs::cuda
