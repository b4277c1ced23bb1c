#include "train/trained_data.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace cavs::inline v0_1 {

DataOptions data_options_for(const TrainedModel& trained) {
  return {.classes = trained.classes,
          .tags = trained.tags.empty() ? nullptr : &trained.tags,
          .edge_names = &trained.edge_names,
          .tag_scheme = trained.tag_scheme,
          .words = &trained.words,
          .port_words = &trained.port_words,
          .schema = &trained.schema};
}

std::size_t record_data(const Dataset& data, Checkpoint& record) {
  record.vocabulary = data.words.words();
  record.extra[kSchemaKey] = schema_to_json(data.schema);
  if (!data.tags.empty()) record.extra[kTagsKey] = nlohmann::ordered_json(data.tags).dump();
  if (!data.tag_scheme.empty()) record.extra[kTagSchemeKey] = data.tag_scheme;
  if (!data.edge_names.empty()) record.extra[kEdgeNamesKey] = edge_names_to_json(data.edge_names);
  if (!data.port_words.empty()) record.extra[kPortWordsKey] = port_words_to_json(data.port_words);
  if (data.lexicon == nullptr) return 0;
  std::string lexicon = lexicon_to_text(*data.lexicon);
  if (lexicon.size() > kMaxLexiconBytes) return lexicon.size();
  record.extra[kLexiconKey] = std::move(lexicon);
  return 0;
}

}  // namespace cavs::inline v0_1
