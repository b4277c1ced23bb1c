#pragma once

#include <string>
#include <string_view>

namespace cavs::inline v0_1 {

/// Appends a word of a bracketed tree without its escapes: "-LRB-" becomes "(", "\\/" becomes "/".
void append_unescaped(std::string& text, std::string_view word);

}  // namespace cavs::inline v0_1
