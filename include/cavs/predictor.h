#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "cavs/readers.h"
#include "cavs/session.h"
#include "cavs/trained_model.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

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

  /// All samples of a text as one minibatch, in any form that fits the model (docs/predicting.md).
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
