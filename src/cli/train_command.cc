#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/launch.h"
#include "cli/option_group.h"
#include "cli/options.h"
#include "cli/output_files.h"
#include "cli/rate_options.h"
#include "cli/report.h"
#include "cli/training.h"
#include "cli/usage_error.h"
#include "cli/validators.h"

namespace cavs::cli {
namespace {

constexpr const char* kTrainFooter =
    "Prints one line per epoch: training loss per label, then development loss, and accuracy of labelled\n"
    "vertices and of roots; for language models perplexity, for taggers F1 of tokens and of entities. Ctrl-C\n"
    "saves a checkpoint (with --save) and ends.\n"
    "\n"
    "Examples:\n"
    "  $ cavs train tree-lstm\n"
    "  $ cavs train tree-lstm --data sst:data/sst --optimizer adagrad --lr 0.05 --batch-size 25 --save sst.cavs\n"
    "  $ cavs train tree-lstm --data listops:train=50000 --epochs 20 --decay cosine --curve curve.svg\n"
    "  $ cavs train tree-lstm --data sst:data/sst --save sst.cavs --save-every 50 --resume sst.cavs\n"
    "  $ cavs train tree-lstm --launch 4 --accumulate 4 --batch-size 16\n"
    "  $ cavs train tree-lstm --data sst:data/sst --epochs 100 --patience 5 --save-best best.cavs\n"
    "  $ cavs train var-lstm --data text:train=train.txt,dev=dev.txt --vocabulary 10000 --save lm.cavs\n"
    "  $ cavs train bilstm-tagger --data conll:train=train.conll,dev=dev.conll --save ner.cavs";

}  // namespace

Action declare_train(CLI::App& app) {
  auto arguments = std::make_shared<TrainArguments>();
  add_model(app, *arguments);
  app.add_flag("--print-config", arguments->print_config, "Print the options as a file for --config, and end")
      ->configurable(false);
  add_data(app, *arguments, true);
  add_sizes(app, *arguments);
  const CLI::Option* const embedding = app.get_option("--embedding");
  const OptionGroup model(app, "Model"), training(app, "Training"), output(app, "Output");
  model.add("--vectors", arguments->vectors, "FILE", file_name(),
            "Initialise embeddings with these word vectors (GloVe, word2vec, or fastText .vec); their size replaces "
            "--embedding");
  training.add_with_default("--epochs", arguments->epochs, "N", integer(1), "Number of passes over the training data");
  training.add("--metric", arguments->metric, "NAME", metric_name(),
               "Metric on the development part by which epochs are compared: loss, accuracy, root_accuracy, "
               "perplexity, token_f1, entity_f1, mse, spearman or pearson, if the model has it (default: the last "
               "metric in the table of epochs)");
  training.add("--patience", arguments->patience, "N", integer(1),
               "End after N epochs without a better --metric (default: train all epochs)");
  add_class_loss(app, *arguments);
  add_optimizer(app, *arguments, "adam");
  add_averaging(app, *arguments);
  add_batch_size(app, *arguments);
  add_sample_order(app, *arguments);
  add_seed(app, *arguments, "Seed of initial values, order of samples, dropout and generated data (default: 1)");
  add_session(app, *arguments);
  OptionGroup(app, "Execution")
      .add_flag("--check-script", arguments->check_script,
                "Check every script of --device cuda for races and deadlocks (slow)");
  add_passes(app, *arguments);
  const OptionGroup ranks(app, "Ranks");
  ranks.add_with_default("--launch", arguments->launch, "N", integer(1, 1024),
                         "Train in N processes on this machine, which share the minibatches of a step (--accumulate); "
                         "results are bit-identical for any number");
  ranks.add(
      "--distributed", arguments->distributed, "NAME", one_of("way", {"none", "mpi"}),
      "How to train if mpirun or srun has started several processes: mpi (all together) or none (each on its own)");
  ranks.add_with_default("--timeout", arguments->timeout, "SECONDS", integer(1, 1'000'000),
                         "End the training if another process has sent nothing for this long");
  const auto file = [&](const char* name, std::string& value, const char* doc) {
    output.add(name, value, "FILE", file_name(), doc);
  };
  file("--save", arguments->save, "Write a checkpoint after every epoch, and at the end");
  file("--save-best", arguments->save_best, "Write a checkpoint after every epoch that is the best so far");
  output.add("--save-every", arguments->save_every, "N", integer(1), "Also write the checkpoint after every N steps");
  file("--resume", arguments->resume,
       "Continue training from a checkpoint; the result is bit-identical to an uninterrupted training");
  output.add_flag("--new-dev", arguments->new_dev,
                  "Resume with another development part; earlier epochs are then not compared with later ones");
  file("--curve", arguments->curve, "Draw the learning curve (SVG)");
  file("--history", arguments->history, "Write one JSON line per epoch");
  add_overwrite(app, *arguments);
  add_json(app, *arguments);
  app.footer(kTrainFooter);
  return [arguments, embedding, &app] {
    arguments->embedding_given = embedding->count() > 0;
    warn_of_unused_decay(app, arguments->decay);
    if (arguments->save_every > 0 && arguments->save.empty())
      throw UsageError("train", "--save-every needs a file to save to; add --save FILE");
    if (arguments->launch > 1 && arguments->distributed == "mpi")
      throw UsageError("train",
                       "--launch starts processes itself, but --distributed mpi is for processes of mpirun; leave one "
                       "of the two out");
    if (arguments->new_dev && arguments->resume.empty())
      throw UsageError("train", "--new-dev needs --resume; add --resume FILE, or leave --new-dev out");
    if (arguments->print_config) return fmt::print("{}", config_text(app));
    in_all_ranks(*arguments, [&](const std::shared_ptr<Job>& job) { train(*arguments, job); });
  };
}

}  // namespace cavs::cli
