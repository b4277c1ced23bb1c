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
    "Every epoch prints a line: loss a label in training, then loss, accuracy of all labelled vertices\n"
    "and of the roots on the development data; of language models perplexity, of taggers F1 of tokens\n"
    "and of entities. Ctrl-C saves (with --save) and ends.\n"
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
  app.add_flag("--print-config", arguments->print_config,
               "Print the options as a file for --config, and do nothing else")
      ->configurable(false);
  add_data(app, *arguments, true);
  add_sizes(app, *arguments);
  const CLI::Option* const embedding = app.get_option("--embedding");
  const OptionGroup model(app, "Model"), training(app, "Training"), output(app, "Output");
  model.add("--vectors", arguments->vectors, "FILE", file_name(),
            "Begin with these vectors of words (GloVe, word2vec, fastText's .vec); --embedding is then theirs");
  training.add_with_default("--epochs", arguments->epochs, "N", integer(1), "Passes over the training data");
  training.add("--metric", arguments->metric, "NAME", metric_name(),
               "What epochs are compared by, on the development part: loss, accuracy, root_accuracy, perplexity, "
               "token_f1, entity_f1, mse, spearman or pearson, as the model has it (default: the last of its table)");
  training.add("--patience", arguments->patience, "N", integer(1),
               "End after N epochs without a better --metric (default: do not)");
  add_class_loss(app, *arguments);
  add_optimizer(app, *arguments, "adam");
  add_averaging(app, *arguments);
  add_batch_size(app, *arguments);
  add_sample_order(app, *arguments);
  add_seed(app, *arguments, "Of initial values, order of samples, dropout and generated data (default: 1)");
  add_session(app, *arguments);
  OptionGroup(app, "Execution")
      .add_flag("--check-script", arguments->check_script,
                "Check every script of --device cuda for races and deadlocks, which takes long");
  add_passes(app, *arguments);
  const OptionGroup ranks(app, "Ranks");
  ranks.add_with_default("--launch", arguments->launch, "N", integer(1, 1024),
                         "Train in N processes on this machine, which share the minibatches of a step (--accumulate); "
                         "results are the same bits for any number");
  ranks.add("--distributed", arguments->distributed, "NAME", one_of("way", {"none", "mpi"}),
            "mpi: this is one of the processes that mpirun or srun has started; none: each of them trains alone");
  ranks.add_with_default("--timeout", arguments->timeout, "SECONDS", integer(1, 1'000'000),
                         "End when another process has sent nothing for so long");
  const auto file = [&](const char* name, std::string& value, const char* doc) {
    output.add(name, value, "FILE", file_name(), doc);
  };
  file("--save", arguments->save, "Write a checkpoint after every epoch, and at the end");
  file("--save-best", arguments->save_best, "Write a checkpoint after every epoch that is the best so far");
  output.add("--save-every", arguments->save_every, "N", integer(1), "And after every N steps");
  file("--resume", arguments->resume, "Go on from a checkpoint, to the same bits as without a stop");
  output.add_flag("--new-dev", arguments->new_dev,
                  "Resume with another development part; epochs before are then not compared with those to come");
  file("--curve", arguments->curve, "Draw the learning curve (SVG)");
  file("--history", arguments->history, "Write a JSON line for every epoch");
  add_overwrite(app, *arguments);
  add_json(app, *arguments);
  app.footer(kTrainFooter);
  return [arguments, embedding, &app] {
    arguments->embedding_given = embedding->count() > 0;
    warn_of_unused_decay(app, arguments->decay);
    if (arguments->save_every > 0 && arguments->save.empty())
      throw UsageError("train", "--save-every says when to save, but not where; add --save FILE");
    if (arguments->launch > 1 && arguments->distributed == "mpi")
      throw UsageError("train",
                       "--launch starts processes, and --distributed mpi is for those that mpirun has started; "
                       "leave one of the two out");
    if (arguments->new_dev && arguments->resume.empty())
      throw UsageError("train", "--new-dev is about the epochs before a resume; add --resume FILE, or leave it out");
    if (arguments->print_config) return fmt::print("{}", config_text(app));
    in_all_ranks(*arguments, [&](const std::shared_ptr<Job>& job) { train(*arguments, job); });
  };
}

}  // namespace cavs::cli
