#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cavs/readers.h"
#include "cavs/trained_model.h"
#include "data/entities.h"
#include "data/input_form.h"
#include "data/table.h"
#include "data/tag_scheme.h"
#include "graphs/graph_builders.h"
#include "graphs/port_views.h"
#include "support/check.h"
#include "train/metric_ports.h"

namespace cavs::inline v0_1 {
namespace {

/// The true score of a vertex in the data; absent if there is none.
std::optional<float> given_score(const GraphSet& graphs, std::int64_t vertex) {
  const std::int64_t port = score_port(graphs.schema());
  if (port < 0 || graphs.float_present(port)[vertex] == 0) return std::nullopt;
  return graphs.float_pulls(port)[vertex];
}

/// Appends the predicted classes of these vertices to `answer`, with their names and probabilities.
void add_classes(const TrainedModel& model, std::span<const std::int32_t> vertices, Answer& answer) {
  const Prediction& prediction = answer.prediction;
  for (const std::int32_t v : vertices) {
    const std::int32_t c = prediction.classes[v];
    answer.ids.push_back(c);
    answer.classes.push_back(class_name(model, c));
    const std::vector<float>& row = prediction.probabilities[v];
    answer.probabilities.push_back(row.empty() || c < 0 ? 0 : row[c]);
  }
  if (std::ranges::all_of(prediction.probabilities, [](const auto& row) { return row.empty(); }))
    answer.probabilities.clear();
}

std::vector<std::string> label_names(const TrainedModel& model, const GraphSet& graphs, std::int32_t sample) {
  const auto labels = indices_at(graphs, "label");
  if (labels.empty()) return {};
  std::vector<std::string> names;
  for (auto v = graphs.vertex_begin()[sample]; v < graphs.vertex_begin()[sample + 1]; ++v)
    names.push_back(class_name(model, labels[v]));
  const bool any = std::ranges::any_of(names, [](const std::string& name) { return !name.empty(); });
  return any ? names : std::vector<std::string>();
}

/// Checks samples one by one. @throws UserError for the first sample that does not fit the model.
void check_each(const Predictor& predictor, const Samples& samples, const SampleOptions& reading) {
  for (std::int32_t s = 0; s < samples.graphs.size(); ++s) {
    GraphSet alone(samples.graphs.schema(), samples.graphs.limits());
    alone.add(sample_of(samples.graphs, s));
    try {
      predictor.check(alone);
    } catch (const UserError& error) {
      const std::string where = s < std::ssize(samples.texts) ? samples.texts[s].where : "";
      user_error("{}: {}; {}", where.empty() ? fmt::format("sample {}", s) : where, error.what(),
                 expected_input(reading));
    }
  }
}

}  // namespace

std::vector<Answer> to_answers(const TrainedModel& model, const Samples& samples, std::vector<Prediction> predictions) {
  std::vector<Answer> answers(predictions.size());
  const ScoreRange range = score_range_of(model.data);
  for (std::int32_t s = 0; s < std::ssize(predictions); ++s) {
    Answer& answer = answers[s];
    answer.prediction = std::move(predictions[s]);
    const Prediction& prediction = answer.prediction;
    std::vector<std::int32_t> vertices(prediction.classes.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) vertices[v] = static_cast<std::int32_t>(v);
    const SampleText text = s < std::ssize(samples.texts) ? samples.texts[s] : SampleText();
    const bool named = !text.tokens.empty();
    add_classes(model, named ? text.vertices : vertices, answer);
    answer.tokens = text.tokens;
    answer.expected = named ? text.expected : label_names(model, samples.graphs, s);
    if (prediction.scores.empty()) continue;
    const std::int32_t root = prediction.roots.front().vertex;
    answer.score = range.of_data(prediction.scores[root]);
    answer.expected_score = given_score(samples.graphs, samples.graphs.vertex_begin()[s] + root);
    if (answer.expected_score) answer.expected_score = range.of_data(*answer.expected_score);
  }
  return answers;
}

std::vector<Answer> answer(const TrainedModel& model, Predictor& predictor, const Samples& samples,
                           const SampleOptions& reading) {
  try {
    return to_answers(model, samples, predictor.predict(samples.graphs));
  } catch (const UserError&) {
    check_each(predictor, samples, reading);  // throws an error that names the sample
    throw;
  }
}

bool has_spans(const TrainedModel& model) {
  const auto scheme = find_tag_scheme(model.tag_scheme);
  if (takes_any_tag(scheme)) return scheme == TagScheme::kIo;
  return std::ranges::any_of(model.class_names, [](const std::string& name) {
    return name != kOutside && parse_tag(name).entity_class.size() + 2 == name.size();
  });
}

std::vector<Span> spans_of(const TrainedModel& model, const Answer& answer) {
  user_check(has_spans(model),
             "the model's classes are not tags of entities (O, B-X, I-X, E-X, S-X), so there are no spans");
  std::vector<Tag<std::string_view>> tags;
  for (const std::string& name : answer.classes) tags.push_back(parse_tag(name.empty() ? kOutside : name));
  std::vector<Span> spans;
  const char* between = model.schema == lattice_schema() ? "" : " ";
  for (const auto& entity : entities_of<std::string_view>(tags)) {
    Span& span = spans.emplace_back(Span{entity.begin, entity.end, std::string(entity.entity_class), {}});
    if (!answer.tokens.empty())
      span.text = fmt::format(
          "{}", fmt::join(answer.tokens.begin() + entity.begin, answer.tokens.begin() + entity.end, between));
  }
  return spans;
}

TextPredictor::TextPredictor(TrainedModel model, const SessionOptions& options)
    : TextPredictor(model, options, sample_options(model)) {}

TextPredictor::TextPredictor(TrainedModel model, const SessionOptions& options, SampleOptions reading)
    : model_(std::move(model)), reading_(std::move(reading)), predictor_(model_, options) {}

std::vector<Answer> TextPredictor::run(std::string_view text) {
  const Samples samples = parse_samples(text, reading_);
  return answer(model_, predictor_, samples, reading_);
}

}  // namespace cavs::inline v0_1
