#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>

#include "cavs/trained_model.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/report.h"
#include "inspect/tree_drawing.h"

namespace cavs::cli {
namespace {

constexpr const char* kFooter =
    "Samples are trees '(3 (2 It) (4 works))' (labels may be absent), ListOps expressions\n"
    "'[MAX 2 9 [MIN 4 7] 0]' or JSON lines (docs/data-formats.md). Each gives one JSON object on a line:\n"
    "  class, probabilities   of the root\n"
    "  classes                the most probable one of each vertex\n"
    "  label                  of the root, where it was given\n"
    "  roots                  vertex, class and probabilities of each, where there are several\n"
    "\n"
    "Examples:\n"
    "  echo '[MAX 2 9 [MIN 4 7] 0]' | cavs predict listops.cavs\n"
    "  cavs predict sst.cavs --tree <reviews.txt";

struct PredictArguments : Options {
  bool tree = false;
};

std::vector<std::int32_t> labels_of(const GraphSet& graphs, std::int32_t sample) {
  const std::int64_t begin = graphs.vertex_begin[sample], end = graphs.vertex_begin[sample + 1];
  const auto& ports = graphs.schema().index_ports;
  const auto port = std::ranges::find(ports, "label");
  if (port == ports.end()) return std::vector<std::int32_t>(end - begin, -1);
  const auto& values = graphs.index_pulls[port - ports.begin()];
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

void run(const PredictArguments& arguments) {
  const TrainedModel trained = trained_model(load_checkpoint(arguments.model));
  Predictor predictor(trained, session_options(arguments));
  SampleReader reader(std::cin, {.words = trained.words, .schema = trained.schema, .classes = trained.classes});
  while (true) {
    const Samples samples = reader.next(arguments.batch_size);
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

}  // namespace

Action declare_predict(CLI::App& app) {
  auto arguments = std::make_shared<PredictArguments>();
  add_checkpoint(app, *arguments);
  app.add_flag("--tree", arguments->tree, "Draw each sample as a tree: words, predicted class, ✓ or ✗ and the label")
      ->group("Output");
  add_batch_size(app, *arguments);
  add_session(app, *arguments);
  app.footer(kFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
