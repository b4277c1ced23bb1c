#include <algorithm>
#include <optional>
#include <set>

#include "cavs/readers.h"
#include "data/conll.h"
#include "data/data_kinds.h"
#include "data/jsonl.h"
#include "data/word_counts.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the names of a port in the training part and in the development part, which may be missing.
std::set<std::string_view> names_at(std::string_view port, const JsonlText& train,
                                    const std::optional<JsonlText>& dev) {
  std::set<std::string_view> found;
  for (const JsonlText* part : {&train, dev ? &*dev : nullptr})
    if (const NameTable* names = part == nullptr ? nullptr : part->names(port))
      for (std::int32_t n = 0; n < names->size(); ++n) found.insert(names->name(n));
  return found;
}

/// Numbers words and classes: as in the options, if these are from a checkpoint, or else the words of the training part
/// and the classes of both parts. The development part may be missing.
void name_numbers(const JsonlText& train, const std::optional<JsonlText>& dev, const DataOptions& options,
                  Dataset& data) {
  const NameTable* words = train.names("word");
  if (words != nullptr || options.words != nullptr)
    data.words = known_words(words != nullptr ? words->counts() : WordCounts(), options);
  TagNames tags;
  for (const std::string_view name : names_at("label", train, dev)) tags.add(name);
  if (options.class_names != nullptr) data.class_names = *options.class_names;
  if (options.class_names == nullptr && options.classes == 0) data.class_names = tags.sorted();
}

/// Returns the names of all other index ports: "<unk>", for unknown names, and all names of the training part.
PortWords port_words(const JsonlText& train, const GraphSchema& schema, const DataOptions& options) {
  if (options.port_words != nullptr) return *options.port_words;
  PortWords words;
  for (const std::string& port : schema.index_ports)
    if (const NameTable* names = train.names(port); names != nullptr && port != "word" && port != "label")
      words.emplace(port, most_frequent(names->counts(), {std::string(Vocabulary::kUnknown)}, 1, 0));
  return words;
}

/// Returns the names of all index ports of edges that have names: those of the options, or else the names of both
/// parts, ordered by their bytes.
EdgeNames name_edges(const GraphSchema& schema, const JsonlText& train, const std::optional<JsonlText>& dev,
                     const DataOptions& options) {
  if (options.edge_names != nullptr) return *options.edge_names;
  EdgeNames all;
  for (const std::string& port : schema.edge_index_ports) {
    const auto found = names_at(port, train, dev);
    if (!found.empty()) all[port].assign(found.begin(), found.end());
  }
  return all;
}

}  // namespace

Dataset load_jsonl(DataSpec& spec, const DataOptions& options) {
  const DataSpec::Files files = spec.files();
  JsonlText train(text_of(files.train, options), files.train);
  std::optional<JsonlText> dev;
  if (!files.dev.empty()) {
    dev.emplace(text_of(files.dev, options), files.dev);
    dev->expect_same_kinds(train);
  }
  Dataset data;
  name_numbers(train, dev, options, data);
  const bool knows_words = options.words != nullptr ? options.words->size() > 1 : train.names("word") != nullptr;
  const GraphSchema schema = options.schema != nullptr ? *options.schema : train.schema();
  data.port_words = port_words(train, schema, options);
  data.edge_names = name_edges(schema, train, dev, options);
  const KnownNames known{knows_words ? &data.words : nullptr, data.class_names.empty() ? nullptr : &data.class_names,
                         &data.port_words, &data.edge_names};
  data.train = train.to_graphs(schema, known, options.limits, options.limit);
  data.dev = dev ? dev->to_graphs(schema, known, options.limits) : GraphSet(schema, options.limits);
  data.classes =
      table_rows(data.train, data.dev, "label", std::max(options.classes, static_cast<int>(data.class_names.size())));
  user_check(options.classes == 0 || data.classes == options.classes,
             "data '{}': the largest label is {}, but the model has {} classes; expected 0 to {}", files.train,
             data.classes - 1, options.classes, options.classes - 1);
  return data;
}

}  // namespace cavs::inline v0_1
