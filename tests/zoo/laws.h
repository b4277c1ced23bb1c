#pragma once

#include <set>
#include <string>

#include "zoo/case.h"
#include "zoo/run_case.h"

namespace cavs::zoo {

/// The outcome of a case.
struct Verdict {
  std::string broken;         // the broken law and how it is broken; empty if all hold
  std::set<std::string> ran;  // the commands that ran and were not refused
  std::string commands;       // all command lines that ran
};

/// Runs the case in the working directory, and checks these laws:
/// 1. The batched engine agrees with the reference: parameters, the optimiser's state, losses.
/// 2. The number of threads, the source of options (file or arguments) and how often it saves change no bits.
/// 3. Training that was stopped and resumed has the same bits.
/// 4. eval and predict give the reference's answers, and the same text with other threads.
/// Every refusal is in the list of refusals, with its message.
Verdict judge(const ZooCase& of);

}  // namespace cavs::zoo
