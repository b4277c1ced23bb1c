#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/checkpoint.h"
#include "cavs/data.h"
#include "cavs/graph.h"
#include "cavs/model.h"
#include "cavs/parameters.h"
#include "cavs/readers.h"
#include "cavs/session.h"
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

/// The predictions for the vertices of one sample as it was given, without vertices that a graph builder added.
struct Prediction {
  struct Root {
    std::int32_t vertex = 0;
    std::vector<float> probabilities;  // [classes], as below
  };
  std::vector<std::int32_t> classes;  // [vertices]: the largest of "logits"; -1 where a function pushes none
  /// [vertices]: of each class, what is pushed at "probabilities", or else the softmax of "logits". Empty where there
  /// are no logits, and of a model whose logits are a choice (hard_max) and that pushes no probabilities.
  std::vector<std::vector<float>> probabilities;
  std::vector<float> scores;  // [vertices]: the push port "score" of one number; empty where the model has none
  std::vector<Root> roots;    // vertices without parents, ascending
};

/// Predicts from the push ports "logits", "probabilities" and "score". Not thread-safe.
class Predictor {
 public:
  /// @throws UserError if the model pushes neither "logits" nor "score", or for an option that Session refuses.
  explicit Predictor(const TrainedModel& model, const SessionOptions& options = {});

  /// Predicts for all samples of the set, as one minibatch. A sample's prediction has the same bits whatever the
  /// others.
  /// @throws UserError if a graph does not fit the model, or if the minibatch needs more memory than the limit.
  std::vector<Prediction> predict(const GraphSet& graphs);

  /// @throws UserError if a graph does not fit the model.
  void check(const GraphSet& graphs) const;

 private:
  std::vector<std::string> ports_;  // that the model pushes, of those that are read
  std::shared_ptr<const Program> program_;
  std::optional<GraphBuilder> graph_builder_;
  Session session_;
  bool decides_;  // logits are a choice
};

/// What a model predicts of a sample, in the terms of its data.
struct Answer {
  std::vector<std::string> tokens{};    // of a sentence, dependency tree or lattice; empty of other graphs
  std::vector<std::int32_t> ids{};      // classes, of each token, or else of each vertex; -1 where there is none
  std::vector<std::string> classes{};   // their names (class_name)
  std::vector<float> probabilities{};   // of these classes; 0 where there is none; empty where the model gives none
  std::vector<std::string> expected{};  // the classes that the sample gives, "" where it gives none; or empty
  std::optional<float> score{}, expected_score{};  // of the first root, of models of scores
  Prediction prediction{};                         // by vertex, in numbers
};

/// Answers of all samples of a set. `predictions`: a Predictor's.
std::vector<Answer> to_answers(const TrainedModel& model, const Samples& samples, std::vector<Prediction> predictions);

/// Tokens [begin, end) that the tags say belong together, as conlleval finds them.
struct Span {
  std::int64_t begin = 0, end = 0;
  std::string entity_class;  // "PER" of "B-PER" and "I-PER"
  std::string text;          // of the tokens; those of a lattice are characters
};

/// The same of samples that were read with these options. @throws UserError for a sample that does not fit the model:
/// where it stands, and an example of what the model can take; and as Predictor::predict does.
std::vector<Answer> answer(const TrainedModel& model, Predictor& predictor, const Samples& samples,
                           const SampleOptions& reading);

/// Whether the model's classes are tags of tokens, so that its answers have spans.
bool has_spans(const TrainedModel& model);
/// The entities of an answer. @throws UserError if the model has no spans.
std::vector<Span> spans_of(const TrainedModel& model, const Answer& answer);

/// Samples as text in, answers out. Not thread-safe. Example:
///   TextPredictor predictor(trained_model(load_checkpoint("ner.cavs")));
///   predictor.run("Anna lives in Rome")[0].classes;  // {"B-PER", "O", "O", "B-LOC"}
class TextPredictor {
 public:
  /// @throws UserError as Predictor does, or for a form that the model cannot take.
  explicit TextPredictor(TrainedModel model, const SessionOptions& options = {});
  TextPredictor(TrainedModel model, const SessionOptions& options, SampleOptions reading);

  /// All samples of a text as one minibatch, in any form that fits the model (docs/guide/predicting.md).
  /// @throws UserError that names the line of what is wrong, with an example of what the model can take.
  std::vector<Answer> run(std::string_view text);

  const TrainedModel& model() const { return model_; }

 private:
  TrainedModel model_;
  SampleOptions reading_;
  Predictor predictor_;
};

}  // namespace v0_1
}  // namespace cavs
