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

/// A number of a value for each dimension.
using ZooCase = std::vector<int>;

const std::string& value(const ZooCase& of, std::string_view dimension);
void set(ZooCase& of, std::string_view dimension, std::string_view value);

/// A combination of options that a command refuses: all of these dimensions have one of these values.
struct Refusal {
  struct Part {
    std::size_t dimension = 0;
    std::vector<char> values;  // [values of the dimension]
  };
  std::string command;
  std::vector<Part> when;
  std::string message;  // a part of what it says
};
const std::vector<Refusal>& all_refusals();
/// Those of a command that fit; "": of all commands.
std::vector<const Refusal*> refusals_of(const ZooCase& of, std::string_view command);

/// Changes other dimensions than these until nothing is refused. @return false if that needs one of these
bool repair(Numbers& numbers, ZooCase& of, const std::set<std::size_t>& keep = {});

ZooCase draw_case(std::uint64_t seed);
/// Cases that are smaller by one step.
std::vector<ZooCase> smaller(const ZooCase& of);

}  // namespace cavs::zoo
