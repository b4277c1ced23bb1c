#pragma once

#include <string>
#include <vector>

#include "ir/function.h"

namespace cavs {

/// Index ports of which a vertex has to have one for its losses to count as labelled: the labels of the cross-entropies
/// that they depend on, and what tells whether their targets are there. Empty: there are none, each vertex counts.
std::vector<std::string> label_ports(const Function& f);

}  // namespace cavs
