#include "cli/trained_data.h"

#include <spdlog/spdlog.h>

#include "cli/report.h"
#include "support/check.h"

namespace cavs::cli {

DataOptions data_options_for(const TrainedModel& trained, const Checkpoint& checkpoint,
                             std::optional<std::uint64_t> seed) {
  const ZooModel* zoo = zoo_model_of(checkpoint);
  return {.seed = seed.value_or(checkpoint.seed),
          .steps = zoo == nullptr ? 0 : zoo->steps,
          .spelled_below = zoo == nullptr ? 0 : zoo->spelled_below,
          .classes = trained.classes,
          .tags = trained.tags.empty() ? nullptr : &trained.tags,
          .edge_names = &trained.edge_names,
          .tag_scheme = trained.tag_scheme,
          .words = &trained.words,
          .port_words = &trained.port_words,
          .schema = &trained.schema};
}

Dataset load_data_for(const TrainedModel& trained, const Checkpoint& checkpoint, const std::string& spec,
                      std::optional<std::uint64_t> seed) {
  DataOptions options = data_options_for(trained, checkpoint, seed);
  options.graph_builder = trained.graph_builder, options.network = &trained.model;
  Dataset data = load_data(spec, options);
  user_check(
      data.kind == "jsonl" || !lacks_vocabulary(trained),
      "the model was saved without a vocabulary, so it knows no word of data '{}'; expected a checkpoint that was "
      "saved with its vocabulary (Checkpoint::vocabulary), or data with the ids of words (jsonl:FILE)",
      spec);
  return data;
}

void record_data(const Dataset& data, Checkpoint& record) {
  record.vocabulary = data.words.words();
  record.extra[kSchemaKey] = schema_to_json(data.schema);
  if (!data.tags.empty()) record.extra[kTagsKey] = Json(data.tags).dump();
  if (!data.tag_scheme.empty()) record.extra[kTagSchemeKey] = data.tag_scheme;
  if (!data.edge_names.empty()) record.extra[kEdgeNamesKey] = edge_names_to_json(data.edge_names);
  if (!data.port_words.empty()) record.extra[kPortWordsKey] = port_words_to_json(data.port_words);
  if (data.lexicon == nullptr) return;
  std::string lexicon = lexicon_to_text(*data.lexicon);
  if (lexicon.size() > kMaxLexiconBytes)
    spdlog::warn(
        "the words of the lexicon are {} bytes, and a checkpoint keeps at most {}; 'cavs predict' will look "
        "for its file, or take --lexicon",
        lexicon.size(), kMaxLexiconBytes);
  else
    record.extra[kLexiconKey] = std::move(lexicon);
}

}  // namespace cavs::cli
