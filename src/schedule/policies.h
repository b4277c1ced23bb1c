#pragma once

#include "schedule/policy.h"

namespace cavs {

Choice choose_frontier(const Frontier& frontier);
Choice choose_serial(const Frontier& frontier);

}  // namespace cavs
