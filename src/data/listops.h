#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cavs/data.h"

namespace cavs {

/// In this order; the words of a ListOps vocabulary are these and the digits.
constexpr std::array<std::string_view, 4> kListOpsOperators{"MAX", "MIN", "MED", "SM"};

Vocabulary listops_vocabulary();

/// Labels every operator vertex with its value: MAX, MIN, MED (of an even count the mean of the two in the middle,
/// rounded down, as Nangia and Bowman's int(np.median)), SM (the sum modulo 10). Digits keep the label -1.
void evaluate_listops(Tree& tree);

}  // namespace cavs
