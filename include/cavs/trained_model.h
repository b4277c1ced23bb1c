#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cavs/checkpoint.h"
#include "cavs/graph.h"
#include "cavs/model.h"
#include "cavs/parameters.h"
#include "cavs/readers.h"
#include "cavs/version.h"
#include "cavs/vocabulary.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// A model loaded from a checkpoint, with all that is needed to read its inputs; no declaration is needed.
struct TrainedModel {
  Model model;
  std::shared_ptr<Parameters> parameters;  // the averages, where training kept some
  Vocabulary words;
  GraphSchema schema;             // the schema that input must have; tree_schema() for every model that accepts trees
  std::string graph_builder;      // makes the model's graphs from the input (find_graph_builder); empty: input as it is
  std::vector<std::string> tags;  // names of the classes, where they have any; else empty
  int classes = 0;                // width of the push port "logits"; 0 where there is none
  std::string data{};             // what it was trained on, as load_data takes it; empty: unknown
  EdgeNames edge_names{};         // as in Dataset
  std::string tag_scheme{};       // as in Dataset
  PortWords port_words{};         // as in Dataset
  std::shared_ptr<const Lexicon> lexicon = nullptr;  // of lattices, where the checkpoint keeps it
};

/// @throws UserError if the checkpoint has no valid model or vocabulary, if its tensors do not fit the model or are not
/// finite, or if the vocabulary does not have one word for each row of the tables of words. (An empty vocabulary, or
/// one of "<unk>" alone, belongs to a model that is given words as ids.)
/// @param averages  false: the parameters of the last step, also where there are averages
TrainedModel trained_model(const Checkpoint& checkpoint, bool averages = true);

/// Whether the model looks up words but has no vocabulary. All words of a text would be unknown to it, so it accepts
/// only ids.
bool lacks_vocabulary(const TrainedModel& model);

/// Checkpoint::extra keeps the schema under kSchemaKey. Without it trained_model() derives the schema from the model;
/// names of types that a model with one function does not distinguish are then lost.
inline constexpr const char* kSchemaKey = "schema";
std::string schema_to_json(const GraphSchema& schema);
/// @throws UserError on anything that is not such a document.
GraphSchema schema_from_json(const std::string& text);

/// Where Checkpoint::extra keeps the name of the model's graph builder; absent or empty: none.
inline constexpr const char* kGraphBuilderKey = "graph_builder";

/// Where Checkpoint::extra keeps the names of the classes, as a JSON array.
inline constexpr const char* kTagsKey = "tags";

/// Where Checkpoint::extra keeps Dataset::edge_names, as JSON: an object of arrays; absent: none.
inline constexpr const char* kEdgeNamesKey = "edge_names";
std::string edge_names_to_json(const EdgeNames& names);

/// Where Checkpoint::extra keeps Dataset::tag_scheme; absent: unknown.
inline constexpr const char* kTagSchemeKey = "tag_scheme";

/// Where Checkpoint::extra keeps Dataset::port_words; absent: none.
inline constexpr const char* kPortWordsKey = "port_words";
std::string port_words_to_json(const PortWords& words);

/// Where Checkpoint::extra keeps the words of Dataset::lexicon; absent: there is none, or it is too large.
inline constexpr const char* kLexiconKey = "lexicon";
/// Larger ones are not kept, since every save writes them.
inline constexpr std::size_t kMaxLexiconBytes = std::size_t{16} << 20;
std::string lexicon_to_text(const Lexicon& lexicon);

/// The name of a class: that of TrainedModel::tags, or else its number; empty for -1, which is none.
std::string class_name(const TrainedModel& model, std::int32_t c);

/// How the samples of a model are read (SampleReader); lattices with the lexicon of the training data (lexicon_of).
SampleOptions sample_options(const TrainedModel& model);

/// The lexicon of the lattices that a model was trained on: the one that the checkpoint keeps, or else its file, if
/// that is still there; null: there is none, or it is not known. @throws UserError if it cannot be read.
std::shared_ptr<const Lexicon> lexicon_of(const TrainedModel& model);

}  // namespace v0_1
}  // namespace cavs
