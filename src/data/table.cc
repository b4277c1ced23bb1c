#include "data/table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "cavs/readers.h"
#include "data/data_kinds.h"
#include "data/table_reader.h"
#include "data/text.h"
#include "support/check.h"
#include "support/parse_number.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kShown = 30;  // maximum number of column names in a message

/// Returns the position of a column that is given by its name or by its number (from 1).
std::size_t find_column(const std::string& column, const std::vector<std::string>& first, bool header,
                        const std::string& file) {
  const auto named = std::ranges::find(first, column);
  if (header && named != first.end()) {
    user_check(std::find(named + 1, first.end(), column) == first.end(),
               "{}:1: two columns are named '{}'; give the number of the column, from 1", file, excerpt(column));
    return named - first.begin();
  }
  const auto number = parse_number<std::size_t>(column);
  if (number && *number >= 1 && *number <= first.size()) return *number - 1;
  user_check(header, "{}: no column '{}'; expected a number from 1 to {} (header=no means that columns have no names)",
             file, excerpt(column), first.size());
  const auto found = first.size() == 1 ? first.front().find_first_of(";\t") : std::string::npos;
  if (found != std::string::npos)
    user_error(
        "{}:1: no column '{}'; the first row has one column, '{}', which seems to use another separator; add "
        "separator={}",
        file, excerpt(column), excerpt(first.front()), first.front()[found] == ';' ? "semicolon" : "tab");
  std::vector<std::string> known;
  for (const std::string& name : std::span(first).first(std::min(first.size(), kShown))) known.push_back(excerpt(name));
  user_error("{}:1: no column '{}'; {}", file, excerpt(column), suggest(column, known));
}

/// Returns the path of a file in the folder of the table or below it. Refuses other files, as tables may be untrusted.
std::string tree_file(const std::string& name, const std::string& table, std::int64_t line) {
  namespace fs = std::filesystem;
  const fs::path given(name), path = fs::path(table).parent_path() / given;
  const bool below = !given.empty() && given.is_relative() && std::ranges::find(given, "..") == given.end();
  user_check(below,
             "{}:{}: the file of the tree is '{}'; expected a name relative to the folder of the table, without '..'",
             table, line, excerpt(name));
  std::error_code error;
  user_check(fs::is_regular_file(path, error), "{}:{}: {} is not a file; expected a file with a tree", table, line,
             path.string());
  return path.string();
}

Tree read_tree(const std::string& file, const std::string& table) {
  std::vector<Tree> trees = parse_treebank(read_text_file(file), file);
  user_check(trees.size() == 1, "{}: found {} trees; expected one, because a row of {} is one sample", file,
             trees.size(), table);
  return std::move(trees.front());
}

ScoreRange parse_range(const std::string& text) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto low = parse_number<float>(text.substr(0, colon));
  const auto high = parse_number<float>(text.substr(std::min(colon + 1, text.size())));
  user_check(low && high && *low < *high && std::isfinite(*low) && std::isfinite(*high),
             "data 'table': range is '{}'; expected LOW:HIGH, the lowest and highest score, such as range=0:5",
             excerpt(text));
  return {*low, *high};
}

/// True if the first row has the column.
bool has_column(const std::string& column, const std::vector<std::string>& first, bool header) {
  if (header && std::ranges::find(first, column) != first.end()) return true;
  const auto number = parse_number<std::size_t>(column);
  return number && *number >= 1 && *number <= first.size();
}

}  // namespace

TableSpec::TableSpec(DataSpec& spec, bool for_prediction) {
  constexpr std::array<std::string_view, 8> kKeys{"text",  "pair",   "tree",      "label",
                                                  "score", "header", "separator", "range"};
  constexpr std::array<std::string_view, 2> kYesNo{"yes", "no"};
  constexpr std::array<std::string_view, 3> kSeparators{"comma", "semicolon", "tab"};
  spec.split_off_options(kKeys);
  for (std::size_t use = 0; use < kColumnUses; ++use) columns[use] = spec.text(std::string(kUseNames[use]));
  header = spec.choice("header", "yes", kYesNo) == "yes";
  separator = spec.choice("separator", "", kSeparators);
  user_check(has(kTextColumn) != has(kTreeColumn),
             "data 'table': expected either text=COLUMN or tree=COLUMN, as in table:FILE,text=COLUMN,label=COLUMN");
  user_check(has(kTextColumn) || !has(kPairColumn),
             "data 'table': pair=COLUMN is for a second text; expected text=COLUMN, too");
  const bool any = has(kLabelColumn) || has(kScoreColumn);
  user_check(any ? has(kLabelColumn) != has(kScoreColumn) : for_prediction,
             "data 'table': expected either label=COLUMN or score=COLUMN");
  if (const std::string given = spec.text("range"); !given.empty()) range = parse_range(given);
}

ScoreRange score_range_of(const std::string& spec) {
  if (!spec.starts_with("table:")) return {};
  DataSpec parts(spec);
  return TableSpec(parts, true).range;
}

char TableSpec::separator_of(std::string_view file) const {
  if (file.ends_with(".gz")) file.remove_suffix(3);
  if (separator == "tab" || (separator.empty() && file.ends_with(".tsv"))) return '\t';
  return separator == "semicolon" ? ';' : ',';
}

std::vector<TableRow> read_table(std::string_view text, const std::string& file, const TableSpec& spec,
                                 bool for_prediction) {
  TableReader reader(text, file, spec.separator_of(file));
  std::vector<std::string> fields;
  user_check(reader.next(fields), "{}: no row; expected {}one sample per row", file,
             spec.header ? "names of columns, and " : "");
  constexpr std::size_t kAbsent = std::string::npos;
  std::array<std::size_t, kColumnUses> at{};
  for (std::size_t use = 0; use < kColumnUses; ++use) {
    const bool target = use == kLabelColumn || use == kScoreColumn;
    const bool absent = target && for_prediction && !has_column(spec.columns[use], fields, spec.header);
    at[use] = absent || spec.columns[use].empty() ? kAbsent : find_column(spec.columns[use], fields, spec.header, file);
  }
  std::vector<TableRow> rows;
  for (bool more = !spec.header || reader.next(fields); more; more = reader.next(fields)) {
    TableRow& row = rows.emplace_back(TableRow{reader.line(), {}});
    for (std::size_t use = 0; use < kColumnUses; ++use)
      if (at[use] != kAbsent) row.fields[use] = fields[at[use]];  // copied, not moved: a column may have two uses
    if (spec.has(kTreeColumn)) {
      row.fields[kTreeColumn] = tree_file(row.fields[kTreeColumn], file, row.line);
      row.tree = read_tree(row.fields[kTreeColumn], file);
    }
    for (const ColumnUse use : {kTextColumn, kPairColumn}) std::ranges::replace(row.fields[use], '\n', ' ');
  }
  user_check(!rows.empty(), "{}: no row below the names of the columns; expected one sample per row", file);
  return rows;
}

}  // namespace cavs::inline v0_1
