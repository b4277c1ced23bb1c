#pragma once

#include <string>
#include <string_view>

namespace cavs::inline v0_1 {

/// Appends a word of a bracketed tree with its escapes undone: "-LRB-" is "(", "\\/" is "/".
void append_unescaped(std::string& text, std::string_view word);

}  // namespace cavs::inline v0_1
