#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cavs/checkpoint.h"
#include "cavs/data.h"
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

/// @throws UserError if the checkpoint has no valid model or words, if its tensors do not fit the model or are not
/// finite, or if the vocabulary does not have one word for each row of the tables of words. (An empty vocabulary, or
/// one of "<unk>" alone, belongs to a model that is given words as ids.)
/// @param averages  false: the parameters of the last step, also where there are averages
TrainedModel trained_model(const Checkpoint& checkpoint, bool averages = true);

/// Whether the model looks up words but has no vocabulary. All words of a text would be unknown to it, so it accepts
/// only ids.
bool lacks_vocabulary(const TrainedModel& model);

/// The record of these data for a checkpoint: see Trainer::record. A schema that is absent there follows from the
/// model; types of vertices that a model with one function does not distinguish are then lost.
DataRecord data_record(const Dataset& data);
/// How data are loaded that a trained model takes: with its words, classes, tags and schema. Refers to `trained`.
DataOptions data_options(const TrainedModel& trained);

/// The name of a class: that of TrainedModel::tags, or else its number; empty for -1, which is none.
std::string class_name(const TrainedModel& model, std::int32_t c);

/// How the samples of a model are read (SampleReader); lattices with the lexicon of the training data (lexicon_of).
SampleOptions sample_options(const TrainedModel& model);

/// The lexicon of the lattices that a model was trained on: the one that the checkpoint keeps, or else its file, if
/// that is still there; null: there is none, or it is not known. @throws UserError if it cannot be read.
std::shared_ptr<const Lexicon> lexicon_of(const TrainedModel& model);

}  // namespace v0_1
}  // namespace cavs
