#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The options of 'cavs train', 'cavs eval' and 'cavs predict', and what a case may give them.
namespace cavs::zoo {

/// Something that a case chooses: the value of an option, or how the laws look at the case.
struct Dimension {
  std::string command;              // whose option it is; "law": how the laws look at the case
  std::string option;               // as CLI11 has it: "--hidden", "MODEL"
  std::string name;                 // unique: "train --hidden", "train --disable fuse"
  int percent = 0;                  // how often it is not the first value; 100: each is as likely
  std::vector<std::string> values;  // the first one is the smallest; "": not given; "yes": a flag
};
const std::vector<Dimension>& all_dimensions();
std::size_t dimension_named(std::string_view name);

/// Options that no case draws, by command and option, each with the reason.
const std::map<std::string, std::map<std::string, std::string>>& not_drawn();
/// Choices of options that no case draws, by option and choice, each with the reason.
const std::map<std::string, std::map<std::string, std::string>>& choices_not_drawn();

}  // namespace cavs::zoo
