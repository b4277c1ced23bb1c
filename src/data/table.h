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

/// What a column of a table is for; the keys of its spec.
enum ColumnUse : std::size_t { kTextColumn, kPairColumn, kTreeColumn, kLabelColumn, kScoreColumn, kColumnUses };
inline constexpr std::array<std::string_view, kColumnUses> kUseNames{"text", "pair", "tree", "label", "score"};

/// The scores that data have, and how they become those of models, which are 1 to 5.
struct ScoreRange {
  float low = 1, high = 5;
  float of_model(float score) const { return is_of_models() ? score : 1 + (score - low) * 4 / (high - low); }
  float of_data(float score) const { return is_of_models() ? score : low + (score - 1) * (high - low) / 4; }
  bool is_of_models() const { return low == 1 && high == 5; }
};
/// The range of "table:...,range=LOW:HIGH"; 1 to 5 where a spec says nothing else.
ScoreRange score_range_of(const std::string& spec);

/// table:FILE,text=COLUMN,... in parts: which column is for what, and how a file is written.
struct TableSpec {
  std::array<std::string, kColumnUses> columns;
  bool header = true;
  std::string separator;  // empty: as the file's name says
  ScoreRange range;       // of the scores of pairs

  /// @throws UserError unless there is a text or a tree, and either a label or a score, which `for_prediction` may be
  /// missing. The files are left in the spec.
  explicit TableSpec(DataSpec& spec, bool for_prediction = false);
  bool has(ColumnUse use) const { return !columns[use].empty(); }
  char separator_of(std::string_view file) const;
};

/// A row with the fields that are of use: empty where no column has them; a text is one line.
struct TableRow {
  std::int64_t line = 0;
  std::array<std::string, kColumnUses> fields;
  Tree tree{};  // of the file that the row names
};

/// The rows of a table, at least one. With `for_prediction` the column of a label or a score may be missing.
/// @throws UserError ("name:line: ...") for what TableReader refuses, an unknown column, a table of no row, or a file
/// named in it that is not below its folder or holds another number of trees than one.
std::vector<TableRow> read_table(std::string_view text, const std::string& file, const TableSpec& spec,
                                 bool for_prediction = false);

}  // namespace cavs::inline v0_1
