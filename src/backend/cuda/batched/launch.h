#pragma once

// Data that the host passes to the kernels of the batched engine. Host and device share this file.

#include "backend/cuda/entries/kernel_arguments.h"

namespace cavs::cuda {

/// Entries [begin, end) of a script that one graph of launches runs.
struct Stretch {
  int begin, end;
};

/// Data in GPU memory that all launches for a minibatch share. `progress` and `clocks` of the arguments are null.
struct Pass {
  KernelArguments arguments;
  const Stretch* next;  // stretches that have not begun
  Stretch stretch;      // current stretch
};

/// The only argument of a kernel. It is the same for each launch of a graph in every minibatch.
struct Launch {
  Pass* pass;
  int entry;       // number in the script or, in a graph, in the current stretch
  int tile;        // which rows of a softmax over words
  int of_stretch;  // 1 in a graph, else 0
};

}  // namespace cavs::cuda
