#include <algorithm>
#include <cmath>

#include "cavs/decode.h"
#include "cavs/readers.h"
#include "decode/growing_graphs.h"
#include "ir/function.h"
#include "support/check.h"
#include "support/philox.h"
#include "train/port_names.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the single vertex function of a language model. @throws UserError naming what the model lacks.
const Function& checked_function(const TrainedModel& model) {
  user_check(reads_text(model),
             "the model was not trained on text, so it cannot continue prompts; expected a model trained on data such "
             "as text:FILE");
  const auto& functions = model.model.functions();
  user_check(functions.size() == 1, "the model has {} vertex functions; continuing a prompt needs a model with one",
             functions.size());
  user_check(model.classes == model.words.size(), "the model has {} classes and {} words; expected one class per word",
             model.classes, model.words.size());
  return functions.front();
}

/// A prompt that is being continued.
struct Line {
  std::uint64_t number = 0;          // number of the prompt, which selects its random numbers
  std::vector<std::int32_t> prompt;  // ids of "<eos>" and the prompt's words
  std::int32_t last = 0;             // id of the word that the next vertex reads
  std::int32_t before = -1;          // the evaluated vertex that read the word before `last`; -1 if there is none
  Random random;
  Continuation result;
};

/// Returns the natural logarithm of the sum of exp(scale * logit) over all logits.
double log_sum(std::span<const float> logits, double scale) {
  const double max = scale * *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float x : logits) sum += std::exp(scale * x - max);
  return max + std::log(sum);
}

std::int32_t choose(std::span<const float> logits, double temperature, Random& random) {
  const auto best = static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  if (temperature == 0) return best;
  const double scale = 1 / temperature, all = log_sum(logits, scale);
  double left = random.next() * 0x1p-32;
  for (std::int32_t word = 0; word < static_cast<std::int32_t>(logits.size()); ++word)
    if ((left -= std::exp(scale * logits[word] - all)) < 0) return word;
  return best;  // reached only through rounding errors
}

}  // namespace

bool reads_text(const TrainedModel& model) {
  return model.schema == chain_schema() && model.words.id(Vocabulary::kEndOfLine) > 0;
}

struct Continuer::Impl {
  Impl(const TrainedModel& model, const SessionOptions& options)
      : words(model.words),
        graphs(model.model, model.parameters, {checked_function(model).name, "word", kLogits}, options) {}

  std::vector<Line> start(std::span<const std::string> prompts, const ContinueOptions& options,
                          std::int64_t first) const {
    std::vector<Line> lines;
    for (const std::string& prompt : prompts) {
      const std::uint64_t number = static_cast<std::uint64_t>(first) + lines.size();
      Line line{.number = number,
                .prompt = {words.id(Vocabulary::kEndOfLine)},
                .last = 0,
                .before = -1,
                .random = {options.seed, RandomPurpose::kContinuation, number},
                .result = {}};
      for (const auto word : split_words(prompt)) line.prompt.push_back(words.id(word));
      line.last = line.prompt.back();
      lines.push_back(std::move(line));
    }
    return lines;
  }

  /// Evaluates the vertices that read the words of the prompts, except the last word of each prompt.
  void read(std::vector<Line>& lines) {
    GraphSet chains(chain_schema());
    std::vector<std::int32_t> last;
    std::vector<Line*> longer;
    for (Line& line : lines) {
      if (line.prompt.size() < 2) continue;
      // to_chain() also sets labels, but the compiled program does not read them.
      chains.add(to_chain(line.prompt.front(), std::span(line.prompt).subspan(1)), "prompt");
      last.push_back(static_cast<std::int32_t>(chains.vertices() - 1));
      longer.push_back(&line);
    }
    if (longer.empty()) return;
    const std::vector<std::int32_t> evaluated = graphs.evaluate(chains, last);
    for (std::size_t k = 0; k < longer.size(); ++k) longer[k]->before = evaluated[k];
  }

  /// Finds the next word of every line, and adds it to the line's result.
  void step(std::span<Line* const> lines, const ContinueOptions& options) {
    vertices.clear();
    std::vector<std::int32_t> done;
    for (const Line* line : lines) {
      vertices.add(line->last, {&line->before, 1});
      done.push_back(line->before);
    }
    const std::vector<std::int32_t> evaluated = graphs.step(
        vertices, [&](std::int32_t k, std::span<const float> logits) { find_word(*lines[k], logits, options); });
    graphs.retire(done);
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k]->before = evaluated[k];
    for (Line* line : lines) add_word(*line);
  }

  static void find_word(Line& line, std::span<const float> logits, const ContinueOptions& options) {
    line.last = choose(logits, options.temperature, line.random);
    line.result.log_probability += logits[line.last] - log_sum(logits, 1);
  }

  void add_word(Line& line) const {
    user_check(std::isfinite(line.result.log_probability),
               "prompt {}: after {} words, the model's probabilities are not finite; its parameters may not be finite",
               line.number + 1, line.result.words.size());
    line.result.ended = words.word(line.last) == Vocabulary::kEndOfLine;
    if (!line.result.ended) line.result.words.push_back(words.word(line.last));
  }

  Vocabulary words;
  GrowingGraphs graphs;
  NewVertices vertices;  // vertices of the current step
};

Continuer::Continuer(const TrainedModel& model, const SessionOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
Continuer::~Continuer() = default;

std::vector<Continuation> Continuer::run(std::span<const std::string> prompts, const ContinueOptions& options,
                                         std::int64_t first) {
  user_check(options.words >= 0 && std::isfinite(options.temperature) && options.temperature >= 0,
             "continuing by {} words at temperature {}; expected both to be 0 or more", options.words,
             options.temperature);
  impl_->graphs.clear();
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

}  // namespace cavs::inline v0_1
