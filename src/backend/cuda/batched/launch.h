#pragma once

// What the host hands to the kernels of the batched engine. Host and device share it.

#include "backend/cuda/entries/kernel_arguments.h"

namespace cavs::cuda {

/// Entries [begin, end) of a script that one graph of launches carries out.
struct Stretch {
  int begin, end;
};

/// What all launches for a minibatch share, in the GPU's memory. `progress` and `clocks` of the arguments are null.
struct Pass {
  KernelArguments arguments;
  const Stretch* next;  // stretches that have not begun
  Stretch stretch;      // that is under way
};

/// The only argument of a kernel: the same for each launch of a graph, whatever the minibatch.
struct Launch {
  Pass* pass;
  int entry;       // number in the script; in a graph, in the stretch that is under way
  int tile;        // of a softmax over words: which rows
  int of_stretch;  // 1: in a graph; 0: by itself
};

}  // namespace cavs::cuda
