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
#include "cavs/session.h"

namespace cavs {

/// A model out of a checkpoint, with all that its inputs need; no declaration is needed.
struct TrainedModel {
  Model model;
  std::shared_ptr<Parameters> parameters;
  Vocabulary words;
  GraphSchema schema;         // that input must fit: tree_schema() wherever that will do
  std::string graph_builder;  // what makes the model's graphs of the input (find_graph_builder); empty: they are those
  std::vector<std::string> tags;  // names of the classes of a tagger; else empty
  int classes = 0;                // width of the push port "logits"; 0 where there is none
};

/// @throws UserError if the checkpoint's model or vocabulary is none, its tensors do not fit the model or are not
/// finite, or the vocabulary has not a word for each row of the tables of words (one of "<unk>" alone, or none, is of a
/// model that is given words as ids).
TrainedModel trained_model(const Checkpoint& checkpoint);

/// Whether the model looks words up but has no vocabulary: all words of a text would be unknown to it, so that it can
/// be given ids alone.
bool lacks_vocabulary(const TrainedModel& model);

/// How `schema` is kept in Checkpoint::extra, under kSchemaKey. Without it trained_model() derives the schema from the
/// model, which is the same but for the names of types that a model of one function does not tell apart.
inline constexpr const char* kSchemaKey = "schema";
std::string schema_to_json(const GraphSchema& schema);
/// @throws UserError on anything that is not such a document.
GraphSchema schema_from_json(const std::string& text);

/// Where Checkpoint::extra keeps the name of the model's graph builder; absent or empty: none.
inline constexpr const char* kGraphBuilderKey = "graph_builder";

/// Where Checkpoint::extra keeps the names of a tagger's classes, as a JSON array.
inline constexpr const char* kTagsKey = "tags";

/// What a model says of one sample, as it was given: a graph builder's vertices do not show.
struct Prediction {
  struct Root {
    std::int32_t vertex = 0;
    std::vector<float> probabilities;  // [classes]; empty where the root's function pushes no "logits"
  };
  std::vector<std::int32_t> classes;  // [vertices]: the most probable one; -1 where a function pushes no "logits"
  std::vector<Root> roots;            // vertices without parents, ascending
};

/// Predicts classes from the push port "logits". Not thread-safe.
class Predictor {
 public:
  /// @throws UserError if the model pushes no "logits", or for an option that Session refuses.
  explicit Predictor(const TrainedModel& model, const SessionOptions& options = {});

  /// All samples of the set as one minibatch; a sample's prediction has the same bits whatever its companions.
  /// @throws UserError if a graph does not fit the model, or needs more memory than the limit.
  std::vector<Prediction> predict(const GraphSet& graphs);

 private:
  std::shared_ptr<const Program> program_;
  std::optional<GraphBuilder> graph_builder_;
  Session session_;
};

}  // namespace cavs
