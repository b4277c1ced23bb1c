#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The options of 'cavs train', 'cavs eval' and 'cavs predict', and the values that a case may give them.
namespace cavs::zoo {

/// One choice of a case: the value of an option, or the way in which the laws check the case.
struct Dimension {
  std::string command;  // the command of the option, or "law" for a choice of the laws
  std::string option;   // name in CLI11, such as "--hidden" or "MODEL"
  std::string name;     // unique name, such as "train --hidden" or "train --disable fuse"
  int percent = 0;      // percentage of cases that do not have the first value; 100 makes all values equally likely
  std::vector<std::string> values;  // the first is the smallest; "" leaves the option out, "yes" sets a flag
};
const std::vector<Dimension>& all_dimensions();
std::size_t dimension_named(std::string_view name);

/// Options that no case draws, with the reason, by command and option.
const std::map<std::string, std::map<std::string, std::string>>& not_drawn();
/// Values of options that no case draws, with the reason, by option and value.
const std::map<std::string, std::map<std::string, std::string>>& choices_not_drawn();

}  // namespace cavs::zoo
