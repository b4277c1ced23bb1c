#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include "cavs/readers.h"
#include "cavs/trained_model.h"
#include "cli/commands.h"
#include "cli/continue_prompts.h"
#include "cli/input_files.h"
#include "cli/input_lines.h"
#include "cli/options.h"
#include "cli/policy_option.h"
#include "cli/report.h"
#include "cli/trained_data.h"
#include "cli/translate.h"
#include "cli/validators.h"
#include "inspect/tree_drawing.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

constexpr const char* kPredictFooter =
    "Samples are trees '(3 (2 It) (4 works))' (labels may be absent), ListOps expressions\n"
    "'[MAX 2 9 [MIN 4 7] 0]' or JSON lines (docs/data-formats.md). Each gives one JSON object on a line:\n"
    "  class, probabilities   of the root\n"
    "  classes                the most probable one of each vertex\n"
    "  label                  of the root, where it was given\n"
    "  roots                  vertex, class and probabilities of each, where there are several\n"
    "A model that was trained on text takes a prompt a line and continues it: prompt, continuation, words,\n"
    "ended (by <eos>), log_probability. One that was trained on pairs of sentences takes a source sentence a\n"
    "line and translates it: source, translation, words, score, log_probability, with --n-best alternatives.\n"
    "\n"
    "Examples:\n"
    "  echo '[MAX 2 9 [MIN 4 7] 0]' | cavs predict listops.cavs\n"
    "  cavs predict sst.cavs --tree <reviews.txt\n"
    "  echo 'the meaning of' | cavs predict lm.cavs --words 30 --temperature 0.8 --seed 7\n"
    "  cavs predict nmt.cavs --beam 5 --n-best 3 <source.txt";

struct PredictArguments : Options {
  bool tree = false;
  std::optional<int> words;
  std::optional<double> temperature;
  std::string part = "dev";
  TranslateArguments translation;
};

std::vector<std::int32_t> labels_of(const GraphSet& graphs, std::int32_t sample) {
  const std::int64_t begin = graphs.vertex_begin()[sample], end = graphs.vertex_begin()[sample + 1];
  const auto& ports = graphs.schema().index_ports;
  const auto port = std::ranges::find(ports, "label");
  if (port == ports.end()) return std::vector<std::int32_t>(end - begin, -1);
  const auto values = graphs.index_pulls(port - ports.begin());
  return {values.begin() + begin, values.begin() + end};
}

/// With the fewest digits that tell the floats apart.
Json shortest(const std::vector<float>& numbers) {
  Json list = Json::array();
  for (float number : numbers) list.push_back(std::stod(fmt::format("{}", number)));
  return list;
}

Json describe_root(const Prediction& prediction, const Prediction::Root& root) {
  return {{"vertex", root.vertex},
          {"class", prediction.classes[root.vertex]},
          {"probabilities", shortest(root.probabilities)}};
}

Json to_json(const Prediction& prediction, const std::vector<std::int32_t>& labels) {
  const Prediction::Root& root = prediction.roots.front();
  Json json{{"class", prediction.classes[root.vertex]},
            {"probabilities", shortest(root.probabilities)},
            {"classes", prediction.classes}};
  if (labels[root.vertex] >= 0) json["label"] = labels[root.vertex];
  if (prediction.roots.size() > 1)
    for (const auto& each : prediction.roots) json["roots"].push_back(describe_root(prediction, each));
  return json;
}

void predict_classes(const PredictArguments& arguments, const TrainedModel& trained, const SessionOptions& session) {
  Predictor predictor(trained, session);
  SampleReader reader(std::cin, {.words = trained.words,
                                 .schema = trained.schema,
                                 .classes = trained.classes,
                                 .ids_only = lacks_vocabulary(trained)});
  while (true) {
    const Samples samples = reader.next(arguments.batch_size);
    check_input();
    if (samples.graphs.size() == 0) return;
    const auto predictions = predictor.predict(samples.graphs);
    for (std::int32_t s = 0; s < samples.graphs.size(); ++s) {
      const auto labels = labels_of(samples.graphs, s);
      if (!arguments.tree) {
        print_json(to_json(predictions[s], labels));
        continue;
      }
      const Tree* tree = samples.trees[s].size() > 0 ? &samples.trees[s] : nullptr;
      fmt::print("{}\n", draw_tree(samples.graphs, s,
                                   {.words = vertex_words(samples.graphs, s, tree, trained.words),
                                    .predictions = predictions[s].classes,
                                    .labels = labels}));
    }
    std::fflush(stdout);
  }
}

void translate(const PredictArguments& arguments, const Checkpoint& checkpoint, const TrainedModel& trained,
               const SessionOptions& session) {
  const TranslateOptions options = arguments.translation.options();
  Translator translator(trained, session);
  if (arguments.data.empty()) return translate_input(translator, options, arguments.batch_size);
  Dataset data = load_data_for(trained, checkpoint, arguments.data, std::nullopt);
  const PairedText text = pairs_of(std::move(data), arguments.data, arguments.part, arguments.limit);
  translate_pairs(translator, text, options, arguments.batch_size);
}

void continue_input(const PredictArguments& arguments, const TrainedModel& trained, const SessionOptions& session) {
  ContinueOptions options;
  options.words = arguments.words.value_or(options.words);
  options.temperature = arguments.temperature.value_or(options.temperature);
  options.seed = seed_of(arguments);
  continue_prompts(trained, session, options, arguments.batch_size);
}

/// @throws UserError for an option that is meant for other models.
void check(const PredictArguments& arguments, const TrainedModel& trained) {
  const bool pairs = translates(trained), text = reads_text(trained);
  user_check(text || !(arguments.words || arguments.temperature || arguments.seed),
             "--words, --temperature and --seed are for models that were trained on text; {} was not", arguments.model);
  user_check(!arguments.tree || !(text || pairs), "--tree draws trees; {} was trained on text and {}", arguments.model,
             pairs ? "translates" : "continues prompts");
  if (arguments.translation.given() || !arguments.data.empty())
    check_translates(trained, arguments.model, "--beam, --n-best, --length-penalty, --max-length and --data");
}

void run(const PredictArguments& arguments) {
  const Checkpoint checkpoint = read_checkpoint(arguments.model);
  const TrainedModel trained = trained_model(checkpoint);
  const SessionOptions session =
      session_options(arguments, learned_policy(arguments, trained.model, nullptr, &checkpoint));
  check(arguments, trained);
  if (translates(trained)) return translate(arguments, checkpoint, trained, session);
  if (reads_text(trained)) return continue_input(arguments, trained, session);
  predict_classes(arguments, trained, session);
}

}  // namespace

Action declare_predict(CLI::App& app) {
  auto arguments = std::make_shared<PredictArguments>();
  add_checkpoint(app, *arguments);
  app.add_flag("--tree", arguments->tree, "Draw each sample as a tree: words, predicted class, ✓ or ✗ and the label")
      ->group("Output");
  app.add_option("--words", arguments->words, "Continue a prompt by at most N words (default: 20)")
      ->type_name("N")
      ->check(integer(0, 1'000'000))
      ->group("Prompts");
  app.add_option(
         "--temperature", arguments->temperature,
         "0: always the most probable word; 1: drawn by probability; in between and above: less and more evenly "
         "(default: 0)")
      ->type_name("X")
      ->check(number(0))
      ->group("Prompts");
  add_beam(app, arguments->translation);
  add_best(app, arguments->translation);
  app.add_option("--data", arguments->data, "Translate the sources of parallel:SOURCE+TARGET instead of standard input")
      ->type_name("SPEC")
      ->check(data_text())
      ->group("Translation");
  app.add_option("--part", arguments->part, "Of --data: dev (where there is one) or train")
      ->type_name("NAME")
      ->check(one_of("part", {"dev", "train"}))
      ->capture_default_str()
      ->group("Translation");
  app.add_option("--limit", arguments->limit, "Only the first N pairs of --data")
      ->type_name("N")
      ->check(integer(1))
      ->group("Translation");
  add_batch_size(app, *arguments);
  add_seed(app, *arguments, "Of drawing words (default: 1)");
  add_session(app, *arguments);
  app.footer(kPredictFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
