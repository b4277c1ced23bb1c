#include "data/name_table.h"

namespace cavs {

std::vector<std::int32_t> class_ids(const NameTable& names, std::span<const std::string> classes) {
  std::unordered_map<std::string_view, std::int32_t> numbers;  // there may be very many
  for (std::size_t c = 0; c < classes.size(); ++c) numbers.emplace(classes[c], static_cast<std::int32_t>(c));
  std::vector<std::int32_t> ids(names.size(), -1);
  for (std::int32_t n = 0; n < names.size(); ++n)
    if (const auto number = numbers.find(names.name(n)); number != numbers.end()) ids[n] = number->second;
  return ids;
}

}  // namespace cavs
