#include "cavs/continuer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "declare/function.h"
#include "graphs/minibatch.h"
#include "ops/op.h"
#include "support/check.h"
#include "support/philox.h"
#include "train/port_names.h"

namespace cavs {
namespace {

constexpr const char* kBefore = "before";  // type of the vertex that stands for all words so far

struct StateWidth {
  std::string name;
  std::int32_t width = 0;
};

std::vector<StateWidth> states_of(const Function& f) {
  std::vector<StateWidth> states;
  for (const Node& node : f.nodes)
    if (node.op->name == "scatter")
      states.push_back({node.attributes.name, static_cast<std::int32_t>(node.shape.size())});
  return states;
}

/// The one vertex function of a language model. @throws UserError naming what it lacks.
const Function& checked_function(const TrainedModel& model) {
  user_check(reads_text(model),
             "the model was not trained on text, so it continues no prompt; expected one trained on "
             "data such as text:FILE");
  const auto& functions = model.model.functions();
  user_check(functions.size() == 1, "the model has {} vertex functions; continuing a prompt takes one of one",
             functions.size());
  const Function& f = functions.front();
  std::vector<std::string> wanted{kLogits};
  for (const StateWidth& state : states_of(f)) wanted.push_back(state.name);
  for (const std::string& port : wanted)
    user_check(std::ranges::any_of(
                   f.nodes, [&](const Node& node) { return node.op->name == "push" && node.attributes.name == port; }),
               "the model cannot continue a prompt: vertex function '{}' does not push '{}'; push the logits and every "
               "state under its own name",
               f.name, port);
  user_check(model.classes == model.words.size(), "the model has {} classes and {} words; expected a class a word",
             model.classes, model.words.size());
  return f;
}

std::vector<std::string> names_of(const std::vector<StateWidth>& states) {
  std::vector<std::string> names;
  names.reserve(states.size());
  for (const StateWidth& state : states) names.push_back(state.name);
  return names;
}

/// The model with one more type of vertex, whose states are given from outside.
Model with_given_states(Model model, const std::vector<StateWidth>& states) {
  model.vertex_function(kBefore, [&](Vertex& v) {
    for (const StateWidth& state : states) v.scatter(state.name, v.pull(state.name, state.width));
  });
  return model;
}

/// A word at a time is a vertex above given states: no policy can do better, and none was learned for such graphs.
SessionOptions by_levels(SessionOptions options) {
  options.policy = "frontier";
  return options;
}

std::vector<std::string> with_logits(std::vector<std::string> ports) {
  ports.emplace_back(kLogits);
  return ports;
}

std::vector<std::int32_t> numbers_up_to(std::int32_t count) {
  std::vector<std::int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// A prompt on its way.
struct Line {
  std::vector<std::int32_t> prompt;        // ids, "<eos>" first
  std::int32_t last = 0;                   // the word that is read next
  std::vector<std::vector<float>> states;  // after all words before it; empty: none was read
  Random random;
  Continuation result;
};

/// The natural logarithm of the sum of exp(scale * logit).
double log_sum(std::span<const float> logits, double scale) {
  const double most = scale * *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float x : logits) sum += std::exp(scale * x - most);
  return most + std::log(sum);
}

std::int32_t choose(std::span<const float> logits, double temperature, Random& random) {
  const auto best = static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  if (temperature == 0) return best;
  const double scale = 1 / temperature, all = log_sum(logits, scale);
  double left = random.next() * 0x1p-32;
  for (std::int32_t word = 0; word < static_cast<std::int32_t>(logits.size()); ++word)
    if ((left -= std::exp(scale * logits[word] - all)) < 0) return word;
  return best;  // rounding left a rest
}

}  // namespace

bool reads_text(const TrainedModel& model) {
  return model.schema == chain_schema() && model.words.id(Vocabulary::kEndOfLine) > 0;
}

struct Continuer::Impl {
  Impl(const TrainedModel& model, const SessionOptions& options)
      : type(checked_function(model).name),
        words(model.words),
        states(states_of(model.model.functions().front())),
        reader(compile(model.model, {.training = false, .loss = false, .pushes = names_of(states)})),
        speaker(compile(with_given_states(model.model, states),
                        {.training = false, .loss = false, .pushes = with_logits(names_of(states))})),
        reading(reader, model.parameters, options),
        speaking(speaker, model.parameters, by_levels(options)) {}

  std::vector<Line> start(std::span<const std::string> prompts, const ContinueOptions& options,
                          std::int64_t first) const {
    std::vector<Line> lines;
    for (const std::string& prompt : prompts) {
      const std::uint64_t number = static_cast<std::uint64_t>(first) + lines.size();
      Line line{.prompt = {words.id(Vocabulary::kEndOfLine)},
                .last = 0,
                .states = {},
                .random = {options.seed, RandomPurpose::kContinuation, number},
                .result = {}};
      for (const auto word : split_words(prompt)) line.prompt.push_back(words.id(word));
      line.last = line.prompt.back();
      lines.push_back(std::move(line));
    }
    return lines;
  }

  /// Keeps the pushed states of vertex `row(k)` for line k of the lines.
  template <typename Row>
  void keep_states(const Run& run, std::span<Line* const> lines, Row row) const {
    for (Line* line : lines) line->states.clear();
    for (const StateWidth& state : states) {
      const std::vector<float> values = run.output(state.name);
      for (std::size_t k = 0; k < lines.size(); ++k) {
        const float* begin = values.data() + static_cast<std::size_t>(row(k)) * state.width;
        lines[k]->states.emplace_back(begin, begin + state.width);
      }
    }
  }

  /// All but the last word of each prompt.
  void read(std::vector<Line>& lines) {
    GraphSet graphs(chain_schema());
    std::vector<Line*> longer;
    for (Line& line : lines) {
      if (line.prompt.size() < 2) continue;
      // The labels, here the words that follow, are not pulled.
      graphs.add(to_chain(line.prompt.front(), std::span(line.prompt).subspan(1)), "prompt");
      longer.push_back(&line);
    }
    if (longer.empty()) return;
    const auto bound = bind_graphs(reader, graphs);
    const Run run = reading.forward(*bound, numbers_up_to(graphs.size()));
    keep_states(run, longer, [&](std::size_t k) { return run.sample_begin()[k + 1] - 1; });
  }

  GraphSchema step_schema() const {
    GraphSchema schema{.types = {kBefore, type}, .index_ports = {"word"}, .float_ports = {}};
    for (const StateWidth& state : states) schema.float_ports.push_back({state.name, state.width});
    return schema;
  }

  /// Two vertices: the states so far, and the word that is read.
  InputGraph step_graph(const Line& line) const {
    InputGraph graph{.types = {0, 1},
                     .child_offsets = {0, 0, 1},
                     .children = {0},
                     .index_pulls = {{-1, line.last}},
                     .float_pulls = {},
                     .float_present = {}};
    for (std::size_t i = 0; i < states.size(); ++i) {
      auto& pull = graph.float_pulls.emplace_back(2 * static_cast<std::size_t>(states[i].width));
      if (!line.states.empty()) std::ranges::copy(line.states[i], pull.begin());
    }
    return graph;
  }

  /// The next word of every line.
  void step(std::span<Line* const> lines, const ContinueOptions& options) {
    GraphSet graphs(step_schema());
    for (const Line* line : lines) graphs.add(step_graph(*line), "prompt");
    const auto bound = bind_graphs(speaker, graphs);
    const Run run = speaking.forward(*bound, numbers_up_to(graphs.size()));
    const auto row = [](std::size_t k) { return 2 * k + 1; };
    keep_states(run, lines, row);
    const std::vector<float> all = run.output(kLogits);
    const auto width = static_cast<std::size_t>(words.size());
    for (std::size_t k = 0; k < lines.size(); ++k)
      add_word(*lines[k], std::span(all).subspan(row(k) * width, width), options);
  }

  void add_word(Line& line, std::span<const float> logits, const ContinueOptions& options) const {
    line.last = choose(logits, options.temperature, line.random);
    line.result.log_probability += logits[line.last] - log_sum(logits, 1);
    line.result.ended = words.word(line.last) == Vocabulary::kEndOfLine;
    if (!line.result.ended) line.result.words.push_back(words.word(line.last));
  }

  std::string type;  // of the vertices that read words
  Vocabulary words;
  std::vector<StateWidth> states;
  std::shared_ptr<const Program> reader, speaker;
  Session reading, speaking;
};

Continuer::Continuer(const TrainedModel& model, const SessionOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
Continuer::~Continuer() = default;

std::vector<Continuation> Continuer::run(std::span<const std::string> prompts, const ContinueOptions& options,
                                         std::int64_t first) {
  user_check(options.words >= 0 && std::isfinite(options.temperature) && options.temperature >= 0,
             "continuing with {} words at temperature {}; expected 0 or more of both", options.words,
             options.temperature);
  std::vector<Line> lines = impl_->start(prompts, options, first);
  if (options.words > 0) impl_->read(lines);
  for (int word = 0; word < options.words; ++word) {
    std::vector<Line*> open;
    for (Line& line : lines)
      if (!line.result.ended) open.push_back(&line);
    if (open.empty()) break;
    impl_->step(open, options);
  }
  std::vector<Continuation> results;
  results.reserve(lines.size());
  for (Line& line : lines) results.push_back(std::move(line.result));
  return results;
}

}  // namespace cavs
