#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "cavs/inspect.h"
#include "cli/commands.h"
#include "cli/option_group.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/validators.h"

namespace cavs::cli {
namespace {

constexpr const char* kDataFooter =
    "Prints counts, sizes, depths, types, ports, classes and the coverage of the vocabulary. Reports duplicate\n"
    "samples, samples that are in both parts, classes without labels, very unequal classes, and samples that\n"
    "are far larger than the others. --samples draws the first training samples as trees of 'word: label'.\n"
    "\n"
    "Examples:\n"
    "  $ cavs data sst:data/sst\n"
    "  $ cavs data jsonl:train=train.jsonl,dev=dev.jsonl --samples 3\n"
    "  $ cavs data conll:train=train.conll,dev=dev.conll --min-count 2 --json";

struct DataArguments : Options {
  int samples = 0;
};

void draw_samples(const Dataset& data, int samples) {
  for (std::int32_t s = 0; s < std::min(samples, data.train.size()); ++s) {
    inspect::VertexNotes notes = inspect::notes_of(data.train, s, data.words);
    notes.class_names = inspect::names_of_classes(data);
    fmt::print("\n{}", inspect::to_text(data.train, s, notes));
  }
}

void run(const DataArguments& arguments) {
  const Dataset data = load_data(arguments.data, {.limit = arguments.limit,
                                                  .seed = seed_of(arguments),
                                                  .min_count = arguments.min_count,
                                                  .vocabulary = arguments.vocabulary});
  for (const std::string& warning : data.warnings) spdlog::warn("{}", warning);
  if (arguments.json) {
    Json json{{"data", arguments.data}};
    json.update(Json::parse(inspect::to_json(data)));
    json["warnings"] = data.warnings;
    return print_json(json);
  }
  fmt::print("{}", inspect::to_text(data));
  draw_samples(data, arguments.samples);
}

}  // namespace

Action declare_data(CLI::App& app) {
  auto arguments = std::make_shared<DataArguments>();
  app.add_option("SPEC", arguments->data, "Data set, in the form of --data of 'cavs train'")
      ->type_name("")
      ->required()
      ->check(data_text());
  OptionGroup(app, "Output")
      .add("--samples", arguments->samples, "N", integer(0),
           "Also print the first N training samples as text drawings");
  add_json(app, *arguments);
  add_limits(app, *arguments, true);
  add_seed(app, *arguments, "Seed of generated data (default: 1)");
  app.footer(kDataFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
