#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cavs/trained_model.h"
#include "data/conllu.h"
#include "data/lexicon.h"
#include "data/table.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kWeibo = "weibo:", kWithoutWords = ",words=0", kWithWords = ",words=1";

/// Of "conllu:FILE,label=xpos"; empty where it does not say.
std::string label_column_of(const std::string& spec) {
  for (const std::string_view name : kConlluColumnNames)
    if (spec.ends_with(fmt::format(",label={}", name))) return std::string(name);
  return {};
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
  return c < std::ssize(model.tags) ? model.tags[c] : fmt::format("{}", c);
}

SampleOptions sample_options(const TrainedModel& model) {
  return {.words = model.words,
          .schema = model.schema,
          .classes = model.classes,
          .ids_only = lacks_vocabulary(model),
          .data_kind = model.data.substr(0, model.data.find(':')),
          .text_columns = text_columns_of(model.data),
          .port_words = model.port_words,
          .tags = model.tags,
          .edge_names = model.edge_names,
          .tag_scheme = model.tag_scheme,
          .label_column = label_column_of(model.data),
          .lexicon = lexicon_of(model)};
}

std::shared_ptr<const Lexicon> lexicon_of(const TrainedModel& model) {
  if (model.lexicon != nullptr) return model.lexicon;
  std::string_view folder = model.data;  // of a checkpoint from before it was kept
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
