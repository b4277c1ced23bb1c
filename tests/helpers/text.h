#pragma once

#include <string>

namespace cavs {

/// Returns the number of occurrences of `what` in the text.
inline int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace cavs
