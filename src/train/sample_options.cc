#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cavs/trained_model.h"
#include "data/lexicon.h"
#include "data/table.h"
#include "data/text.h"
#include "support/parse_number.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kWeibo = "weibo:", kWithoutWords = ",words=0", kWithWords = ",words=1";

/// Returns the value of an option in a spec of data of this kind; empty if the option is absent or the kind differs.
std::string option_of(const std::string& spec, std::string_view kind, const std::string& key) {
  if (!spec.starts_with(kind)) return {};
  DataSpec parts(spec);
  const std::string items = parts.cut_off_options();
  for (std::string_view rest = items; !rest.empty();)
    if (const std::string_view item = take_part(rest, ','); item.starts_with(key + "="))
      return std::string(item.substr(key.size() + 1));
  return {};
}

/// Returns the number, from 1, of the CoNLL column that the spec gives as `key`; 0 if it does not give it.
int column_of(const std::string& spec, const std::string& key) {
  for (const std::string_view kind : {"conll:", "lattice:", "weibo:"})
    if (const auto column = parse_number<int>(option_of(spec, kind, key))) return *column;
  return 0;
}

std::vector<std::string> text_columns_of(const std::string& data) {
  if (!data.starts_with("table:")) return {};
  DataSpec spec(data);
  const TableSpec table(spec);
  std::vector<std::string> columns;
  for (const ColumnUse use : {kTextColumn, kPairColumn})
    if (table.has(use)) columns.push_back(table.columns[use]);
  return columns;
}

}  // namespace

std::string class_name(const TrainedModel& model, std::int32_t c) {
  if (c < 0) return {};
  return c < std::ssize(model.class_names) ? model.class_names[c] : fmt::format("{}", c);
}

SampleOptions sample_options(const TrainedModel& model) {
  return {.words = model.words,
          .schema = model.schema,
          .classes = model.classes,
          .ids_only = lacks_vocabulary(model),
          .data_kind = model.data.substr(0, model.data.find(':')),
          .text_columns = text_columns_of(model.data),
          .port_words = model.port_words,
          .class_names = model.class_names,
          .edge_names = model.edge_names,
          .tag_scheme = model.tag_scheme,
          .token_column = column_of(model.data, "token"),
          .tag_column = column_of(model.data, "tag"),
          .label_column = option_of(model.data, "conllu:", "label"),
          .lexicon = lexicon_of(model)};
}

std::shared_ptr<const Lexicon> lexicon_of(const TrainedModel& model) {
  if (model.lexicon != nullptr) return model.lexicon;
  std::string_view folder = model.data;  // older checkpoints do not contain the lexicon
  if (!folder.starts_with(kWeibo)) return nullptr;
  folder.remove_prefix(kWeibo.size());
  if (folder.ends_with(kWithoutWords)) return std::make_shared<Lexicon>();
  if (folder.ends_with(kWithWords)) folder.remove_suffix(kWithWords.size());
  for (const char* name : {"lexicon.txt", "lexicon.txt.gz"}) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return read_lexicon(path.string());
  }
  return nullptr;
}

}  // namespace cavs::inline v0_1
