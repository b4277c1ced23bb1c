#include "train/tokenize_13a.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cavs::inline v0_1 {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

/// True for ASCII punctuation that is always a token; "'", ",", "-" and "." are not.
bool is_symbol(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t begin = 0;
  for (auto at = text.find(from); at != text.npos; at = text.find(from, begin)) {
    out.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  if (begin > 0) text = out.append(text, begin);
}

std::string separate_symbols(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (is_symbol(c))
      out.append({' ', c, ' '});
    else
      out += c;
  return out;
}

/// Finds pairs of bytes a, b with first(a) and second(b), which do not overlap. Inserts a space between a and b, and
/// another before a (if `before`) or after b. Bytes suffice, since no byte of a multi-byte character is ASCII.
template <typename First, typename Second>
std::string separate_pairs(std::string_view text, First first, Second second, bool before) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      out += text[i];
      continue;
    }
    if (before) out += ' ';
    out.append({text[i], ' ', text[i + 1]});
    if (!before) out += ' ';
    ++i;
  }
  return out;
}

/// Returns the bytes of the white space (of Python's str.split()) with which a text begins, one character; 0 if none.
std::size_t space_length(std::string_view text) {
  const char c = text.front();
  if (c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1C' && c <= '\x1F')) return 1;
  using namespace std::string_view_literals;
  constexpr std::array kWide{"\u0085"sv, "\u00A0"sv, "\u1680"sv, "\u2000"sv, "\u2001"sv, "\u2002"sv, "\u2003"sv,
                             "\u2004"sv, "\u2005"sv, "\u2006"sv, "\u2007"sv, "\u2008"sv, "\u2009"sv, "\u200A"sv,
                             "\u2028"sv, "\u2029"sv, "\u202F"sv, "\u205F"sv, "\u3000"sv};
  if (static_cast<unsigned char>(c) < 0x80) return 0;
  const auto* found = std::ranges::find_if(kWide, [&](std::string_view space) { return text.starts_with(space); });
  return found == kWide.end() ? 0 : found->size();
}

std::string with_single_spaces(std::string_view text) {
  std::string out;
  bool gap = false;
  while (!text.empty()) {
    const std::size_t space = space_length(text);
    gap = gap || space > 0;
    if (space == 0) {
      if (gap && !out.empty()) out += ' ';
      gap = false;
      out += text.front();
    }
    text.remove_prefix(std::max(space, std::size_t{1}));
  }
  return out;
}

std::string_view without_space_at_end(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t space = space_length(text.substr(i));
    i += std::max(space, std::size_t{1});
    if (space == 0) end = i;
  }
  return text.substr(0, end);
}

}  // namespace

std::string tokenize_13a(std::string_view sentence) {
  std::string text(without_space_at_end(sentence));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kReplaced{
      {{"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}}};
  for (const auto& [from, to] : kReplaced) replace_all(text, from, to);
  const auto no_digit = [](char c) { return !is_digit(c); };
  text = separate_symbols(" " + text + " ");
  text = separate_pairs(text, no_digit, is_point, false);
  text = separate_pairs(text, is_point, no_digit, true);
  text = separate_pairs(
      text, is_digit, [](char c) { return c == '-'; }, false);
  return with_single_spaces(text);
}

}  // namespace cavs::inline v0_1
