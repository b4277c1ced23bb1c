#pragma once

#include <string>

#include "compile/instruction.h"

namespace cavs::cuda {

/// A device function `run_loop<number>(arguments, entry, work)` that runs an element-wise instruction, a thread an
/// element, made from its scalar program.
std::string loop_source(const Instruction& instruction, const Elementwise& loop);

}  // namespace cavs::cuda
