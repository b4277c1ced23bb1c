#pragma once

#include <string>

#include "compile/program.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// The entries of a script, a line each: what runs on which rows, who does what of it, and what each of them waits for
/// first ("all 7": until all have done entry 7; "1: 5": until processor 1 has done entry 5). Then how many waits there
/// are, and each processor's load.
std::string to_text(const Script& script, const Program& program, const Plan& plan);

}  // namespace cavs::inline v0_1
