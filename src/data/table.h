#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/data.h"
#include "cavs/vocabulary.h"
#include "data/data_spec.h"

namespace cavs::inline v0_1 {

/// The use of a column of a table. kUseNames has the option of the spec for each use.
enum ColumnUse : std::size_t { kTextColumn, kPairColumn, kTreeColumn, kLabelColumn, kScoreColumn, kColumnUses };
inline constexpr std::array<std::string_view, kColumnUses> kUseNames{"text", "pair", "tree", "label", "score"};

/// The range of the scores in data, and its mapping to scores from 1 to 5, which models use.
struct ScoreRange {
  float low = 1, high = 5;
  float of_model(float score) const { return is_of_models() ? score : 1 + (score - low) * 4 / (high - low); }
  float of_data(float score) const { return is_of_models() ? score : low + (score - 1) * (high - low) / 4; }
  bool is_of_models() const { return low == 1 && high == 5; }
};
/// Returns the range of "table:...,range=LOW:HIGH"; 1 to 5 by default.
ScoreRange score_range_of(const std::string& spec);

/// The parsed spec table:FILE,text=COLUMN,...: the uses of columns, and the form of the file.
struct TableSpec {
  std::array<std::string, kColumnUses> columns;
  bool header = true;
  std::string separator;  // between fields; if empty, the ending of the file name decides
  ScoreRange range;       // range of the scores of pairs

  /// Parses the options, and leaves only the files in the spec.
  /// @throws UserError unless there is a text or a tree, and a label or a score (optional with `for_prediction`).
  explicit TableSpec(DataSpec& spec, bool for_prediction = false);
  bool has(ColumnUse use) const { return !columns[use].empty(); }
  char separator_of(std::string_view file) const;
};

/// One row: a field per use of a column; empty for a use without a column. Line ends in texts are spaces.
struct TableRow {
  std::int64_t line = 0;
  std::array<std::string, kColumnUses> fields;
  Tree tree{};  // read from the file that field kTreeColumn names
};

/// Reads the rows of a table, at least one. With `for_prediction` the column of a label or a score may be missing.
/// @throws UserError ("name:line: ...") for errors of TableReader, an unknown column, a table without rows, or a named
/// file that is not below the folder of the table or does not hold exactly one tree.
std::vector<TableRow> read_table(std::string_view text, const std::string& file, const TableSpec& spec,
                                 bool for_prediction = false);

}  // namespace cavs::inline v0_1
