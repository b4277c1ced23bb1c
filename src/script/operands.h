#pragma once

#include "compile/program.h"
#include "plan/plan.h"
#include "script/accesses.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// Where an access of a step lies: what the plan says, as offsets.
ScriptOperand operand_of(const Program& program, const Plan& plan, const Step& step, const Access& access);

}  // namespace cavs::inline v0_1
