#include "cli/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/option_info.h"

namespace cavs::cli {
namespace {

constexpr std::string_view kExamples = "Examples:\n";

/// The character that begins at `at`, which moves behind it. The text is our own and UTF-8.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  const int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  char32_t code = first & (0xFF >> (more == 0 ? 0 : more + 2));
  for (int i = 0; i < more; ++i) code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  return code;
}

/// Text as roff takes it literally.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = out.empty() || out.back() == '\n';
    const char32_t c = next_character(text, at);
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else if (c == '`')
      out += "\\(ga";
    else if (c < 0x80)
      out += static_cast<char>(c);
    else
      out += fmt::format("\\[u{:04X}]", static_cast<unsigned>(c));
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

std::string page_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : app.get_parent()->get_name() + "-" + app.get_name();
}

std::string command_line(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : app.get_parent()->get_name() + " " + app.get_name();
}

std::string trimmed(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Lines as they are.
std::string verbatim(const std::string& lines) { return ".EX\n" + roff(lines) + "\n.EE\n"; }

/// What stands between empty lines.
std::vector<std::string> paragraphs_of(const std::string& text) {
  std::vector<std::string> paragraphs(1);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty())
      paragraphs.emplace_back();
    else
      paragraphs.back() += line + "\n";
  }
  std::erase(paragraphs, "");
  return paragraphs;
}

/// A paragraph of a footer: text that is filled, and indented lines, which stay as they are.
std::string paragraph(const std::string& text) {
  std::string page = ".PP\n", shown;
  std::istringstream lines(text);
  const auto show = [&] {
    if (!shown.empty()) page += verbatim(trimmed(std::exchange(shown, "")));
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) {
      shown += line + "\n";
      continue;
    }
    show();
    page += roff(line) + "\n";
  }
  show();
  return page;
}

std::string description(const CLI::App& app) {
  std::string page = ".SH DESCRIPTION\n" + roff(trimmed(app.get_description())) + ".\n";
  for (const std::string& each : paragraphs_of(app.get_footer()))
    if (!each.starts_with(kExamples)) page += paragraph(each);
  return page;
}

std::string examples(const CLI::App& app) {
  for (const std::string& each : paragraphs_of(app.get_footer()))
    if (each.starts_with(kExamples)) return ".SH EXAMPLES\n" + verbatim(trimmed(each.substr(kExamples.size())));
  return "";
}

/// "\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR", then the description and what is known of the value.
std::string entry(const OptionInfo& info) {
  const CLI::Option& option = *info.option;
  std::string head, facts;
  for (const std::string& name : info.names) head += (head.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!info.argument && !info.value.empty()) head += " \\fI" + roff(info.value) + "\\fR";
  if (!option.get_default_str().empty()) facts += fmt::format(" (default: {})", option.get_default_str());
  if (option.get_required()) facts += " (required)";
  return ".TP\n" + head + "\n" + roff(option.get_description() + facts) + "\n";
}

std::string options(CLI::App& app) {
  const auto all = options_of(app);
  std::string page;
  if (const auto arguments = select(all, true); !arguments.empty()) {
    page += ".SH ARGUMENTS\n";
    for (const OptionInfo& info : arguments) page += entry(info);
  }
  page += ".SH OPTIONS\n";
  for (const std::string& group : app.get_groups()) {
    if (group != "Options") page += ".SS " + roff(group) + "\n";
    for (const OptionInfo& info : select(all, false))
      if (info.option->get_group() == group) page += entry(info);
  }
  return page;
}

std::string commands(CLI::App& app) {
  std::string page, group;
  for (const CLI::App* command : commands_of(app)) {
    if (page.empty()) page = ".SH COMMANDS\n";
    if (command->get_group() != group) page += ".SS " + roff(group = command->get_group()) + "\n";
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(command_line(*command)), roff(command->get_description()));
  }
  return page;
}

std::string synopsis(CLI::App& app) {
  std::string page = fmt::format(".SH SYNOPSIS\n\\fB{}\\fR [\\fIoptions\\fR]", roff(command_line(app)));
  for (const OptionInfo& info : select(options_of(app), true))
    page += fmt::format(fmt::runtime(info.option->get_required() ? " \\fI{}\\fR" : " [\\fI{}\\fR]"), roff(info.value));
  return page + (commands_of(app).empty() ? "\n" : " \\fICOMMAND\\fR\n");
}

std::string exit_status() { return fmt::format(".SH EXIT STATUS\n{}.\n", roff(kExitCodes)); }

std::string see_also(CLI::App& app) {
  if (app.get_parent() != nullptr) return ".SH SEE ALSO\n.BR cavs (1)\n";
  std::string page = ".SH SEE ALSO\n";
  for (const CLI::App* command : commands_of(app))
    page += fmt::format(".BR {} (1){}\n", roff(page_name(*command)), command == commands_of(app).back() ? "" : ",");
  return page;
}

}  // namespace

std::string manual_page(CLI::App& app) {
  const std::string name = roff(page_name(app));
  return fmt::format(".TH {} 1 \"\" \"cavs {}\" \"cavs\"\n.SH NAME\n{} \\- {}\n", upper(page_name(app)), CAVS_VERSION,
                     name, roff(trimmed(app.get_description()))) +
         synopsis(app) + description(app) + commands(app) + options(app) + exit_status() + examples(app) +
         see_also(app);
}

}  // namespace cavs::cli
