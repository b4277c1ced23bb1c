#pragma once

#include "compile/program.h"
#include "plan/plan.h"
#include "script/accesses.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// Returns the script's operand for an access, with offsets from the plan.
ScriptOperand operand_of(const Program& program, const Plan& plan, const Step& step, const Access& access);

}  // namespace cavs::inline v0_1
