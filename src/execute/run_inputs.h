#pragma once

#include <vector>

#include "pack/minibatch.h"

namespace cavs {

/// States of the vertices of one type that an earlier run computed: the caller keeps them, and the type's function is
/// not evaluated. Each buffer has one row per vertex of the minibatch (Schedule::row): rows of this type are read, rows
/// of other types are written. The buffers must outlive the run. An engine that does not read kept states in place
/// (Engine::reads_kept_states) evaluates the function, which must compute the same states.
struct KeptStates {
  std::int32_t type = -1;           // of the program; -1: none
  std::vector<float*> states = {};  // [states of the program] row 0; nullptr: the run's own memory

  KeptRows rows() const {
    KeptRows kept{type, {}};
    for (const float* const rows : states) kept.states.push_back(rows != nullptr);
    return kept;
  }
};

/// Memory of the caller's that a run uses.
struct RunInputs {
  KeptStates kept;
  std::vector<const float*> pulls;  // [float ports of the program] rows of the minibatch's vertices; nullptr: the data
                                    // set's are read
};

}  // namespace cavs
