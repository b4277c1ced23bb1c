#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helpers/graphs.h"
#include "zoo/dimensions.h"

namespace cavs::zoo {

/// Index of the chosen value for each dimension.
using ZooCase = std::vector<int>;

const std::string& value(const ZooCase& of, std::string_view dimension);
void set(ZooCase& of, std::string_view dimension, std::string_view value);

/// A combination of options that a command refuses: each of these dimensions has one of these values.
struct Refusal {
  struct Part {
    std::size_t dimension = 0;
    std::vector<char> values;  // [values of the dimension], true if included
  };
  std::string command;
  std::vector<Part> when;
  std::string message;        // part of the error message
  bool data_decides = false;  // true if some data are not refused
};
const std::vector<Refusal>& all_refusals();
/// The refusals of a command that apply to a case. "" means all commands.
std::vector<const Refusal*> refusals_of(const ZooCase& of, std::string_view command);

/// Changes dimensions until nothing is refused, but not those in `keep`. @return false if it cannot
bool repair(Numbers& numbers, ZooCase& of, const std::set<std::size_t>& keep = {});

ZooCase draw_case(std::uint64_t seed);
/// Cases that are smaller by one step.
std::vector<ZooCase> smaller(const ZooCase& of);

}  // namespace cavs::zoo
