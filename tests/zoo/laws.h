#pragma once

#include <set>
#include <string>

#include "zoo/case.h"
#include "zoo/run_case.h"

namespace cavs::zoo {

/// The outcome of a case.
struct Verdict {
  std::string broken;         // the law, and how it is broken; empty: all are kept
  std::set<std::string> ran;  // the commands that did what they do, not refused
  std::string commands;       // all that ran
};

/// Runs the case in the working directory:
/// 1. the batched engine trains to the numbers of the reference: parameters, the optimiser's state, losses;
/// 2. any number of threads, with options in a file or as arguments, saving seldom or often, gives the same bits;
/// 3. so does training that was stopped and resumed;
/// 4. eval and predict of what was trained give the reference's answers, and the same text with other threads;
/// and what is refused is in the list of refusals, with that message.
Verdict judge(const ZooCase& of);

}  // namespace cavs::zoo
