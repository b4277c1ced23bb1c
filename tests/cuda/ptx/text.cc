#include "cuda/ptx/text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "cuda/ptx/fault.h"

namespace cavs::cuda::ptx {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Returns the first word and removes it from `text`.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && !is_space(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

/// Returns the text with blanks in place of comments, so that line numbers stay the same.
std::string without_comments(std::string_view ptx) {
  std::string text(ptx);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '/' || (text[i + 1] != '/' && text[i + 1] != '*')) continue;
    const bool to_end_of_line = text[i + 1] == '/';
    std::size_t end = text.find(to_end_of_line ? "\n" : "*/", i);
    end = end == std::string::npos ? text.size() : to_end_of_line ? end : end + 2;
    for (; i < end; ++i)
      if (text[i] != '\n') text[i] = ' ';
  }
  return text;
}

class Parser {
 public:
  explicit Parser(std::string_view ptx) : text_(without_comments(ptx)) {}

  ModuleText parse() {
    while (skip_space()) {
      if (starts_with(".version") || starts_with(".target") || starts_with(".address_size") || starts_with(".file") ||
          starts_with(".weak .func")) {
        until("\n");
      } else if (const std::string_view head = peek_until("({;"); head.find(".entry") != head.npos) {
        entry();
      } else if (head.find(".func") != head.npos) {
        fail("a function; kernels are expected to be inlined into one");
      } else {
        module_.variables.push_back(variable(std::string(until(";"))));
      }
    }
    return std::move(module_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { fault(FaultKind::kSyntax, "PTX, line {}: {}", line_, what); }

  bool skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) advance();
    return at_ < text_.size();
  }
  void advance() {
    if (text_[at_++] == '\n') ++line_;
  }
  bool starts_with(std::string_view word) const { return text_.compare(at_, word.size(), word) == 0; }
  std::string_view peek_until(std::string_view any) const {
    return std::string_view(text_).substr(at_, std::min(text_.find_first_of(any, at_), text_.size()) - at_);
  }
  /// Returns the text up to the first of these characters, and skips the character.
  std::string_view until(std::string_view any) {
    const std::string_view found = peek_until(any);
    for (std::size_t n = found.size() + 1; n > 0 && at_ < text_.size(); --n) advance();
    return trimmed(found);
  }

  void entry() {
    EntryText& entry = module_.entries.emplace_back();
    std::string_view head = until("(");
    while (!head.empty()) entry.name = std::string(take_word(head));
    const std::string_view parameters = until(")");
    for (const std::string& parameter : split_words_at_commas(parameters))
      entry.parameters.push_back(variable(parameter));
    until("{");  // skips .maxntid and similar directives
    int depth = 1;
    while (depth > 0) {
      if (!skip_space()) fail("an entry without its closing brace");
      if (text_[at_] == '{' || text_[at_] == '}') {
        depth += text_[at_] == '{' ? 1 : -1;
        advance();
      } else {
        statement(entry);
      }
    }
  }

  static std::vector<std::string> split_words_at_commas(std::string_view text) {
    std::vector<std::string> parts;
    while (!trimmed(text).empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      parts.emplace_back(trimmed(text.substr(0, comma)));
      text = comma < text.size() ? text.substr(comma + 1) : std::string_view();
    }
    return parts;
  }

  void statement(EntryText& entry) {
    const int line = line_;
    const std::string_view head = peek_until(":;\n");
    const char end = at_ + head.size() < text_.size() ? text_[at_ + head.size()] : '\0';
    if (end == ':' && head.find(' ') == head.npos && head.find('\t') == head.npos) {
      entry.labels.push_back({std::string(until(":")), entry.statements.size()});
      return;
    }
    if (starts_with(".loc") || starts_with(".pragma")) return void(until(text_[at_ + 1] == 'l' ? "\n" : ";"));
    std::string_view text = until(";");
    if (text.starts_with(".reg")) return registers(entry, text);
    if (text.starts_with(".")) return entry.variables.push_back(variable(std::string(text)));
    Statement& s = entry.statements.emplace_back();
    s.line = line;
    if (text.front() == '@') {
      std::string_view guard = take_word(text).substr(1);
      s.negated = guard.starts_with('!');
      s.guard = std::string(guard.substr(s.negated ? 1 : 0));
    }
    s.opcode = std::string(take_word(text));
    s.operands = split_operands(text);
  }

  /// Parses ".reg .b32 %r<8>" or ".reg .pred p, q".
  void registers(EntryText& entry, std::string_view text) {
    take_word(text);
    const std::string type(take_word(text).substr(1));
    for (const std::string& part : split_operands(text)) {
      const std::size_t open = part.find('<');
      entry.registers.push_back(
          {type, part.substr(0, open), open == part.npos ? 0 : std::atoi(part.c_str() + open + 1)});
    }
  }

  /// Parses ".visible .global .align 8 .b8 name[16] = {1, 2}".
  Variable variable(const std::string& written) const {
    Variable v;
    std::string_view text = written;
    std::string_view values;
    if (const std::size_t equals = text.find('='); equals != text.npos) {
      values = trimmed(text.substr(equals + 1));
      text = trimmed(text.substr(0, equals));
    }
    std::string type;
    while (text.starts_with('.')) {
      const std::string_view word = take_word(text);
      if (word == ".align")
        v.alignment = std::strtoul(std::string(take_word(text)).c_str(), nullptr, 10);
      else if (word == ".global" || word == ".const" || word == ".shared" || word == ".local" || word == ".param")
        v.space = std::string(word.substr(1));
      else if (word != ".visible" && word != ".extern" && word != ".weak")
        type = std::string(word.substr(1));
    }
    const std::size_t open = text.find('[');
    v.name = std::string(trimmed(text.substr(0, open)));
    const std::size_t each = type.empty() ? 0 : type_bytes(type);
    if (v.space.empty() || v.name.empty() || each == 0)
      fail("a declaration that is not understood: " + written.substr(0, 80));
    std::size_t count = 1;
    for (std::size_t at = open; at != text.npos; at = text.find('[', at + 1))
      count *= std::strtoul(std::string(text.substr(at + 1)).c_str(), nullptr, 10);
    v.dynamic = count == 0;
    v.bytes = count * each;
    if (v.alignment == 0) v.alignment = each;
    contents(v, values, each);
    return v;
  }

  void contents(Variable& v, std::string_view values, std::size_t each) const {
    if (v.space == "global" || v.space == "const") v.contents.resize(v.bytes);
    if (values.empty()) return;
    std::string numbers(values);
    std::erase_if(numbers, [](char c) { return c == '{' || c == '}'; });
    std::size_t at = 0;
    for (const std::string& number : split_words_at_commas(numbers)) {
      char* end = nullptr;
      const bool bits = number.starts_with("0f") || number.starts_with("0d");
      const unsigned long long value = bits ? std::strtoull(number.c_str() + 2, &end, 16)
                                       : number.front() == '-'
                                           ? static_cast<unsigned long long>(std::strtoll(number.c_str(), &end, 0))
                                           : std::strtoull(number.c_str(), &end, 0);
      if (*end != '\0') fail("a value that is not understood: " + number);
      if (at + each > v.contents.size()) fail("too many values for " + v.name);
      std::memcpy(v.contents.data() + at, &value, each);
      at += each;
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  int line_ = 1;
  ModuleText module_;
};

}  // namespace

std::string Statement::text() const {
  std::string text = guard.empty() ? "" : (negated ? "@!" : "@") + guard + " ";
  text += opcode;
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? " " : ", ") + operands[i];
  return text;
}

std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0)
      parts.push_back(std::exchange(part, {}));
    else if (!is_space(c))
      part += c;
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

std::size_t type_bytes(std::string_view type) {
  if (type == "pred") return 0;
  if (type == "bf16x2" || type == "f16x2") return 4;
  const std::size_t digits = type.find_first_of("0123456789");
  return digits == type.npos ? 0 : std::strtoul(std::string(type.substr(digits)).c_str(), nullptr, 10) / 8;
}

ModuleText parse(std::string_view ptx) { return Parser(ptx).parse(); }

}  // namespace cavs::cuda::ptx
