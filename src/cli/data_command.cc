#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/option_group.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/validators.h"
#include "inspect/data_summary.h"
#include "inspect/print_data.h"
#include "inspect/tree_drawing.h"

namespace cavs::cli {
namespace {

constexpr const char* kDataFooter =
    "Counts, sizes, depths, types, ports, classes, what the vocabulary covers, and what is odd: copies,\n"
    "samples of both parts, classes without labels, very unequal classes, samples that are far larger than\n"
    "the others. --samples draws the first training samples as trees: word: label.\n"
    "\n"
    "Examples:\n"
    "  $ cavs data sst:data/sst\n"
    "  $ cavs data jsonl:train=train.jsonl,dev=dev.jsonl --samples 3\n"
    "  $ cavs data conll:train=train.conll,dev=dev.conll --min-count 2 --json";

struct DataArguments : Options {
  int samples = 0;
};

Json to_json(const Spread& spread) {
  return {{"min", spread.min}, {"median", spread.median}, {"mean", spread.mean}, {"max", spread.max}};
}

Json to_json(const PortSummary& port) {
  Json json{{"name", port.name}, {"present", port.present}};
  if (port.width > 0)
    json["width"] = port.width;
  else
    json["max_index"] = port.max_index;
  if (port.vocabulary > 0) json.update(Json{{"vocabulary", port.vocabulary}, {"unknown", port.unknown}});
  if (port.of_edges) json["of"] = "edges";
  return json;
}

Json to_json(const PartSummary& part, const DataSummary& summary) {
  Json types = Json::object(), ports = Json::array();
  for (std::size_t t = 0; t < part.types.size(); ++t) types[summary.schema.types[t]] = part.types[t];
  for (const PortSummary& port : part.ports) ports.push_back(to_json(port));
  Json json{{"samples", part.samples},
            {"vertices", part.vertices},
            {"edges", part.edges},
            {"roots", part.roots},
            {"sizes", to_json(part.sizes)},
            {"depths", to_json(part.depths)},
            {"arities", to_json(part.arities)},
            {"types", types},
            {"ports", ports},
            {"labelled", part.labelled},
            {"unlabelled_samples", part.unlabelled_samples},
            {"labels", part.labels}};
  json["words"] = part.words;
  json["unknown_words"] = summary.vocabulary > 0 ? Json(part.unknown_words) : Json();
  return json;
}

Json to_json(const DataSummary& summary, const std::string& spec) {
  Json odd = Json::array();
  for (const Oddity& oddity : summary.oddities)
    odd.push_back({{"name", oddity.name}, {"count", oddity.count}, {"text", oddity.text}});
  Json json{{"data", spec}, {"train", to_json(summary.train, summary)}};
  json["dev"] = summary.dev ? to_json(*summary.dev, summary) : Json();
  json["classes"] = summary.classes;
  json["vocabulary"] = summary.vocabulary > 0 ? Json(summary.vocabulary) : Json();
  json["oddities"] = odd;
  return json;
}

void draw_samples(const Dataset& data, int samples) {
  for (std::int32_t s = 0; s < std::min(samples, data.train.size()); ++s) {
    const auto words = vertex_words(data.train, s, nullptr, data.words);
    const VertexNotes notes{.words = words,
                            .predictions = std::vector<std::int32_t>(words.size(), -1),
                            .labels = vertex_labels(data.train, s),
                            .class_names = names_of_classes(data)};
    fmt::print("\n{}", draw_tree(data.train, s, notes));
  }
}

void run(const DataArguments& arguments) {
  const Dataset data = load_data(arguments.data, {.limit = arguments.limit,
                                                  .seed = seed_of(arguments),
                                                  .min_count = arguments.min_count,
                                                  .vocabulary = arguments.vocabulary});
  const DataSummary summary = summarise(data);
  if (arguments.json) return print_json(to_json(summary, arguments.data));
  fmt::print("{}", to_text(summary));
  draw_samples(data, arguments.samples);
}

}  // namespace

Action declare_data(CLI::App& app) {
  auto arguments = std::make_shared<DataArguments>();
  app.add_option("SPEC", arguments->data, "As of --data of 'cavs train'")
      ->type_name("")
      ->required()
      ->check(data_text());
  OptionGroup(app, "Output").add("--samples", arguments->samples, "N", integer(0), "Draw the first N training samples");
  add_json(app, *arguments);
  add_limits(app, *arguments, true);
  add_seed(app, *arguments, "Of generated data (default: 1)");
  app.footer(kDataFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
