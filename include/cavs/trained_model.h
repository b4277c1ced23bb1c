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

/// A model loaded from a checkpoint, with everything needed to read its inputs. The program need not declare the model.
struct TrainedModel {
  Model model;
  std::shared_ptr<Parameters> parameters;  // the moving averages, if trained_model() found and used them
  Vocabulary words;
  GraphSchema schema;                    // schema of the input; tree_schema() for every model that accepts trees
  std::string graph_builder;             // name of the builder of the model's graphs (graph_builder_for), or empty
  std::vector<std::string> class_names;  // empty if the classes have no names
  int classes = 0;                       // width of the push port "logits"; 0 if there is none
  std::string data{};                    // spec of the training data (load_data); empty means unknown
  EdgeNames edge_names{};                // as in Dataset
  std::string tag_scheme{};              // as in Dataset
  PortWords port_words{};                // as in Dataset
  std::shared_ptr<const Lexicon> lexicon = nullptr;  // lexicon of lattices; null unless the checkpoint has it
};

/// Makes the model of a checkpoint.
/// @param averages  If false, uses the parameters of the last step even if there are averages.
/// @throws UserError if the checkpoint has no valid model or words, if its tensors do not fit the model or are not
/// finite, or if the vocabulary does not have one word for each row of the word tables. (A vocabulary that is empty or
/// has only "<unk>" is that of a model whose words are ids.)
TrainedModel trained_model(const Checkpoint& checkpoint, bool averages = true);

/// True if the model looks up words but has no vocabulary. It then accepts only ids, as all words would be unknown.
bool lacks_vocabulary(const TrainedModel& model);

/// The record of a data set for checkpoints (Trainer::record). Without it, trained_model() derives the schema from the
/// model, and loses vertex types if the model evaluates all of them with one function.
DataRecord data_record(const Dataset& data);
/// Options for loading data for a trained model: its words, classes and schema. The result refers to `trained`.
DataOptions data_options(const TrainedModel& trained);

/// The name of a class in TrainedModel::class_names, or else its number; empty for -1.
std::string class_name(const TrainedModel& model, std::int32_t c);

/// Options for reading the samples of a model (SampleReader), with the lexicon of the training data (lexicon_of).
SampleOptions sample_options(const TrainedModel& model);

/// The lexicon of the lattices that a model was trained on: from the checkpoint, or else from its file if that still
/// exists; null if there is none or it is unknown. @throws UserError if the file cannot be read.
std::shared_ptr<const Lexicon> lexicon_of(const TrainedModel& model);

/// The predictions for the vertices of one sample of the input, without vertices that a graph builder added.
struct Prediction {
  struct Root {
    std::int32_t vertex = 0;
    std::vector<float> probabilities;  // element `vertex` of Prediction::probabilities
  };
  std::vector<std::int32_t> classes;  // [vertices]: class of the largest logit; -1 at vertices without logits
  /// [vertices][classes]: the push port "probabilities", or else the softmax of "logits". Empty for vertices without
  /// logits, and for a model that pushes no probabilities and whose logits come from hard_max (1 for the chosen class,
  /// else 0).
  std::vector<std::vector<float>> probabilities;
  std::vector<float> scores;  // [vertices]: the push port "score" (one number); empty if the model has none
  std::vector<Root> roots;    // vertices without parents, ascending
};

/// Predicts from the push ports "logits", "probabilities" and "score". Not thread-safe.
class Predictor {
 public:
  /// @throws UserError if the model pushes neither "logits" nor "score", or for an option that Session refuses.
  explicit Predictor(const TrainedModel& model, const SessionOptions& options = {});

  /// Predicts for all samples of the set as one minibatch. Predictions do not depend on the other samples, bit for bit.
  /// @throws UserError if a graph does not fit the model, or if the minibatch needs more memory than the limit.
  std::vector<Prediction> predict(const GraphSet& graphs);

  /// Checks graphs without evaluating them. @throws UserError if a graph does not fit the model.
  void check(const GraphSet& graphs) const;

 private:
  std::vector<std::string> ports_;  // those of the three ports that the model pushes
  std::shared_ptr<const Program> program_;
  std::optional<GraphBuilder> graph_builder_;
  Session session_;
  bool decides_;  // true if the logits come from hard_max
};

/// The prediction for a sample, with the tokens and class names of its data.
struct Answer {
  std::vector<std::string> tokens{};    // of a sentence, dependency tree or lattice; else empty
  std::vector<std::int32_t> ids{};      // class of each token, or else of each vertex; -1 if none
  std::vector<std::string> classes{};   // names of `ids` (class_name)
  std::vector<float> probabilities{};   // of the classes in `ids`; 0 for id -1; empty if the model has no probabilities
  std::vector<std::string> expected{};  // names of the true classes, "" where unknown; no elements if all are unknown
  std::optional<float> score{}, expected_score{};  // predicted and true score of the first root; absent without scores
  Prediction prediction{};                         // the predictions for all vertices
};

/// Makes the answers of all samples. @param predictions  Results of a Predictor for these samples.
std::vector<Answer> to_answers(const TrainedModel& model, const Samples& samples, std::vector<Prediction> predictions);

/// An entity: tokens [begin, end) that belong together by their tags, as conlleval defines it.
struct Span {
  std::int64_t begin = 0, end = 0;
  std::string entity_class;  // "PER" of "B-PER" and "I-PER"
  std::string text;          // text of the tokens, which are characters in a lattice
};

/// Predicts for samples that were read with these options, and makes their answers. @throws UserError for a sample that
/// does not fit the model, with its place and an example of valid input; and as Predictor::predict does.
std::vector<Answer> answer(const TrainedModel& model, Predictor& predictor, const Samples& samples,
                           const SampleOptions& reading);

/// True if the model's classes are tags of tokens, so that its answers have spans.
bool has_spans(const TrainedModel& model);
/// The entities of an answer. @throws UserError if the model has no spans.
std::vector<Span> spans_of(const TrainedModel& model, const Answer& answer);

/// Predicts from text. Not thread-safe. Example:
///   TextPredictor predictor(trained_model(load_checkpoint("ner.cavs")));
///   predictor.run("Anna lives in Rome")[0].classes;  // {"B-PER", "O", "O", "B-LOC"}
class TextPredictor {
 public:
  /// @throws UserError as Predictor does, or for a form that the model does not accept.
  explicit TextPredictor(TrainedModel model, const SessionOptions& options = {});
  TextPredictor(TrainedModel model, const SessionOptions& options, SampleOptions reading);

  /// Predicts for all samples of a text as one minibatch. The text may have any form that fits the model
  /// (docs/guide/predicting.md).
  /// @throws UserError naming the faulty line, with an example of valid input.
  std::vector<Answer> run(std::string_view text);

  const TrainedModel& model() const { return model_; }

 private:
  TrainedModel model_;
  SampleOptions reading_;
  Predictor predictor_;
};

}  // namespace v0_1
}  // namespace cavs
