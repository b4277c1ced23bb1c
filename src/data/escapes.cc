#include "data/escapes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cavs::inline v0_1 {
namespace {

/// Escapes by which treebanks write characters that have a meaning in their format.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEscapes{{{"-LRB-", "("},
                                                                                 {"-RRB-", ")"},
                                                                                 {"-LSB-", "["},
                                                                                 {"-RSB-", "]"},
                                                                                 {"-LCB-", "{"},
                                                                                 {"-RCB-", "}"},
                                                                                 {"\\/", "/"},
                                                                                 {"\\*", "*"}}};

}  // namespace

void append_unescaped(std::string& text, std::string_view word) {
  while (!word.empty()) {
    const auto plain = std::min(word.find_first_of("-\\"), word.size());
    text += word.substr(0, plain);
    word.remove_prefix(plain);
    if (word.empty()) return;
    const auto* escape =
        std::find_if(kEscapes.begin(), kEscapes.end(), [&](const auto& e) { return word.starts_with(e.first); });
    const bool found = escape != kEscapes.end();
    text += found ? escape->second : word.substr(0, 1);
    word.remove_prefix(found ? escape->first.size() : 1);
  }
}

}  // namespace cavs::inline v0_1
