#pragma once

#include <string>

#include "compile/program.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// Returns the entries of a script, one per line: instruction, rows, how processors share the entry, and what each
/// processor waits for first ("all 7": until all processors have done entry 7; "1: 5": until processor 1 has done entry
/// 5). Then the number of waits and the load of each processor.
std::string to_text(const Script& script, const Program& program, const Plan& plan);

}  // namespace cavs::inline v0_1
