#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <memory>
#include <optional>

#include "cavs/trained_model.h"
#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/option_group.h"
#include "cli/options.h"
#include "cli/policy_option.h"
#include "cli/report.h"
#include "cli/trained_data.h"
#include "cli/translate.h"
#include "cli/validators.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

constexpr const char* kEvalFooter =
    "Examples:\n"
    "  $ cavs eval listops.cavs                          the held-out part of the training data\n"
    "  $ cavs eval sst.cavs --data sst:data/sst --part train --limit 1000\n"
    "  $ cavs eval listops.cavs --data listops:test=5000,length=200 --json\n"
    "  $ cavs eval lm.cavs --data text:test.txt          perplexity of a language model\n"
    "  $ cavs eval nmt.cavs --beam 5                     also BLEU of its translations";

struct EvalArguments : Options {
  std::string part = "dev";
  bool last_step = false;
  TranslateArguments translation;
};

/// Returns the first `limit` samples, or all if `limit` is 0.
GraphSet first_samples(GraphSet graphs, std::int64_t limit) {
  if (limit == 0 || limit >= graphs.size()) return graphs;
  GraphSet first(graphs.schema(), graphs.limits());
  for (std::int32_t s = 0; s < limit; ++s) first.add(sample_of(graphs, s));
  return first;
}

/// Prints a line of the table; NaN is printed as "not available".
void print_line(const char* name, double value, int decimals, const std::string& unit) {
  if (std::isnan(value)) return fmt::print("{:17} not available\n", name);
  fmt::print("{:17} {:.{}f}{}\n", name, value, decimals, unit);
}

void print_table(const Evaluation& result, Metric metric) {
  const auto of = [](std::int64_t count, const char* what) { return fmt::format("  of {} {}", count, what); };
  print_line("loss per label", result.loss, 4, "");
  if (metric == Metric::kPerplexity) {
    print_line("perplexity", result.perplexity, 2, of(result.labels, "words"));
  } else if (metric == Metric::kF1) {
    print_line("accuracy", 100 * result.accuracy, 2, " %" + of(result.labels, "tokens"));
    print_line("token F1", 100 * result.token_f1, 2, " %");
    print_line("entity F1", 100 * result.entity_f1, 2, " %");
  } else if (metric == Metric::kCorrelation) {
    print_line("Pearson", result.pearson, 4, of(result.labels, "scores"));
    print_line("Spearman", result.spearman, 4, "");
    print_line("squared error", result.mean_squared_error, 4, "");
  } else {
    print_line("accuracy", 100 * result.accuracy, 2, " %" + of(result.labels, "labelled vertices"));
    print_line("root accuracy", 100 * result.root_accuracy, 2, " %" + of(result.roots, "roots"));
  }
  fmt::print("samples/s         {:.0f}\n", static_cast<double>(result.samples) / result.seconds);
}

void run(const EvalArguments& arguments) {
  const Checkpoint checkpoint = read_checkpoint(arguments.model);
  const TrainedModel trained = trained_model(checkpoint, !arguments.last_step);
  const std::string spec = arguments.data.empty() ? checkpoint.data.spec : arguments.data;
  user_check(!spec.empty(), "{} does not record its training data; give --data", arguments.model);
  const ZooModel* zoo = zoo_model_of(checkpoint);
  // A checkpoint that another program wrote may lack the outputs from which a metric is computed.
  const std::optional<Metric> metric =
      zoo == nullptr ? std::nullopt : std::optional(metric_for(*zoo, trained.tag_scheme));
  Dataset data = load_data_for(trained, checkpoint, spec, arguments.seed);
  PairedText text;
  if (arguments.translation.given()) {
    check_translates(trained, arguments.model, "--beam, --length-penalty and --max-length");
    text = pairs_of(data, spec, arguments.part, arguments.limit);
  }
  const bool dev = arguments.part == "dev" && data.dev.size() > 0;
  const GraphSet graphs = first_samples(std::move(dev ? data.dev : data.train), arguments.limit);
  const char* part = dev ? "dev" : "train";
  spdlog::info("{}, {} part: {}", spec, part, describe(graphs));
  const SessionOptions session =
      session_options(arguments, learned_policy(arguments, trained.model, &graphs, &checkpoint));
  const Evaluation result =
      evaluate(trained.model, trained.parameters, graphs, session, arguments.batch_size, metric, trained.class_names);
  user_check(result.labels > 0, "{}: the {} part has no labels to compare with; give --data with labels", spec, part);
  std::optional<double> bleu;
  if (arguments.translation.given()) {
    Translator translator(trained, session);
    bleu = translation_bleu(translator, text, arguments.translation.options(), arguments.batch_size);
  }
  if (arguments.json) {
    Json json{{"checkpoint", arguments.model}, {"data", spec}, {"part", part}};
    json.update(cli::to_json(result, metric.value_or(Metric::kAccuracy)));
    if (bleu) json.update(Json{{"beam", arguments.translation.options().beam}, {"bleu", *bleu}});
    return print_json(json);
  }
  print_table(result, metric.value_or(Metric::kAccuracy));
  if (bleu)
    fmt::print("BLEU              {:.2f}  of {} sentences, beam {}\n", *bleu, text.source.size(),
               arguments.translation.options().beam);
}

}  // namespace

Action declare_eval(CLI::App& app) {
  auto arguments = std::make_shared<EvalArguments>();
  add_checkpoint(app, *arguments);
  add_data(app, *arguments, false);
  app.get_option("--data")->description("Data set, as for 'cavs train' (default: the training data of the model)");
  OptionGroup(app, "Data")
      .add_with_default("--part", arguments->part, "NAME", one_of("part", {"dev", "train"}),
                        "dev (if the data have a development part) or train");
  OptionGroup(app, "Execution")
      .add_flag("--last-step", arguments->last_step,
                "Use the parameters of the last step, even if averages were kept in training (--ema)");
  add_beam(app, arguments->translation);
  add_batch_size(app, *arguments);
  add_seed(app, *arguments, "Seed of generated data (default: the seed of the training)");
  add_session(app, *arguments);
  add_json(app, *arguments);
  app.footer(kEvalFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
