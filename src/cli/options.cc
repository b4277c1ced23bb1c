#include "cli/options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <thread>

#include "cavs/compile.h"
#include "cli/class_weights.h"
#include "cli/config_file.h"
#include "cli/option_group.h"
#include "cli/policy_option.h"
#include "cli/preset.h"
#include "cli/rate_options.h"
#include "cli/validators.h"
#include "support/available_threads.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

constexpr const char* kData = "Data";
constexpr const char* kModel = "Model";
constexpr const char* kTraining = "Training";
constexpr const char* kExecution = "Execution";
constexpr const char* kOutput = "Output";

std::string list(const auto& names) { return CLI::detail::join(names, ", "); }

}  // namespace

void add_model(CLI::App& app, Options& options) {
  add_config(app, options);
  app.add_option("MODEL", options.model, "Name of a model; see 'cavs models'")
      ->type_name("")
      ->required()
      ->check(one_of("model", names_of(all_models())));
}

void add_checkpoint(CLI::App& app, Options& options) {
  add_config(app, options);
  app.add_option("CHECKPOINT", options.model, "Checkpoint file, written by 'cavs train --save'")
      ->type_name("")
      ->required()
      ->check(file_name());
}

void add_data(CLI::App& app, Options& options, bool vocabulary) {
  OptionGroup(app, kData)
      .add("--data", options.data, "SPEC", data_text(),
           "Data set: listops, binary-trees, random-trees, markov, tags, lattices, translations, tree-pairs, "
           "expressions, moving-shapes, sst:DIR, trees:FILE, jsonl:FILE, table:FILE,..., text:FILE, conll:FILE, "
           "conllu:FILE, sick:DIR, weibo:DIR or parallel:SOURCE+TARGET; generators accept options, as in "
           "listops:train=20000,length=50 (default: the generator that 'cavs models' lists for the model)");
  add_limits(app, options, vocabulary);
}

void add_limits(CLI::App& app, Options& options, bool vocabulary) {
  const OptionGroup data(app, kData);
  data.add("--limit", options.limit, "N", integer(1), "Use only the first N samples");
  if (!vocabulary) return;
  data.add("--vocabulary", options.vocabulary, "N", integer(2),
           "Keep only the N most frequent words of the training data, including <unk> and <eos>; other words are "
           "unknown (default: all)");
  data.add_with_default("--min-count", options.min_count, "N", integer(1),
                        "Words that occur fewer than N times in the training data are unknown");
}

void add_sizes(CLI::App& app, Options& options) {
  const OptionGroup model(app, kModel);
  model.add_with_default("--hidden", options.hidden, "N", integer(1, 65'536), "Size of the state of a vertex");
  model.add_with_default("--embedding", options.embedding, "N", integer(1, 65'536), "Size of the embedding of a word");
  model.add_with_default("--dropout", options.dropout, "P", number(0, 1),
                         "Probability of dropout before the output layer during training");
}

void add_class_loss(CLI::App& app, Options& options) {
  const OptionGroup training(app, kTraining);
  training.add("--class-weights", options.class_weights, "LIST", class_weight_list(),
               "Weights of classes in the loss: NAME=WEIGHT,... where NAME is a tag or the number of a class (default "
               "weight: 1), or balanced, which gives rare classes more weight, so that all classes count alike");
  training.add_with_default("--label-smoothing", options.label_smoothing, "X", share_from(0),
                            "Share of the target that is spread evenly over all classes in the loss");
}

void add_batch_size(CLI::App& app, Options& options) {
  OptionGroup(app, kExecution)
      .add_with_default("--batch-size", options.batch_size, "N", integer(1, 1'000'000),
                        "Number of samples per minibatch");
}

void add_sample_order(CLI::App& app, Options& options) {
  OptionGroup(app, kExecution)
      .add_with_default("--bucket", options.buckets, "N", integer(0, 1'000'000),
                        "Sort the shuffled samples of N minibatches by size, so that samples of a minibatch have "
                        "similar sizes; 0 turns sorting off");
  OptionGroup(app, kData)
      .add_with_default(
          "--stream", options.stream, "N", integer(0, 1'000'000'000),
          "Read the training samples (text, one sample per line) as they are needed, and shuffle them in a "
          "buffer of N samples; 0 loads all samples into memory");
}

void add_seed(CLI::App& app, Options& options, const std::string& doc) {
  OptionGroup(app, kExecution).add("--seed", options.seed, "N", integer(0, INT64_MAX), doc);
}

void add_policy(CLI::App& app, Options& options) {
  OptionGroup(app, kExecution)
      .add_with_default("--policy", options.policy, "NAME", policy_name(),
                        "Batching policy: " + list(names_of(policies())) +
                            "; fsm learns at the start, fsm:FILE was written by 'cavs learn-policy'");
}

void add_session(CLI::App& app, Options& options) {
  const OptionGroup execution(app, kExecution);
  options.threads = available_threads();
  execution
      .add_with_default("--threads", options.threads, "N", integer(1, 1024),
                        "Number of threads; results are bit-identical for any number")
      ->each([&options](const std::string&) { options.threads_given = true; });
  execution.add_with_default("--engine", options.engine, "NAME", one_of("engine", cavs::option_names<EngineKind>()),
                             "On the CPU: batched (default), or reference, which evaluates one vertex at a time in "
                             "plain loops, for comparison. On a GPU: batched (default) or persistent");
  execution
      .add_with_default(
          "--device", options.device, "NAME", device_name(),
          "cpu, cuda (the first GPU), cuda:1 (the second GPU); results of a GPU differ from the CPU in the last bits")
      ->each([&options](const std::string&) { options.device_given = true; });
  add_policy(app, options);
  execution.add_with_default("--precision", options.precision, "NAME",
                             one_of("precision", cavs::option_names<Precision>()),
                             "Operand precision of matrix products: fp32; bf16, on GPUs and on processors with AMX or "
                             "AVX-512 for bf16; tf32, on GPUs. All other computation is in fp32");
  execution.add_with_default("--streaming", options.streaming, "NAME",
                             one_of("streaming", cavs::option_names<Streaming>()),
                             "Compute lazy operators on threads that wait for small tasks, or on a second GPU stream: "
                             "auto (if it should be faster), on, off");
  execution.add("--memory-limit", options.memory_limit, "SIZE", byte_size(),
                "Maximum memory of a minibatch, as in 2GiB (default: 90 % of the available memory)");
}

void add_passes(CLI::App& app, Options& options) {
  OptionGroup(app, kExecution)
      .add_list("--disable", options.disabled, "PASS", one_of("pass", optional_passes()),
                "Compile without this pass: " + list(optional_passes()))
      ->delimiter(',');
}

void add_optimizer(CLI::App& app, Options& options, const std::string& kind) {
  options.optimizer = kind;
  const OptionGroup training(app, kTraining);
  training.add_with_default("--optimizer", options.optimizer, "NAME", one_of("optimizer", optimizer_kinds()),
                            list(optimizer_kinds()));
  training.add_list(
      "--lr", options.lr, "RATE", learning_rate(),
      "Learning rate (default: 0.01 for adagrad, else 0.001), or the rate of parameters whose names match a pattern: "
      "'embedding=0.01', or 'embedding=0.1x' for a tenth of the rate; may be given several times");
  training.add_list("--freeze", options.frozen, "PATTERN", name_pattern(),
                    "Do not update parameters whose names match the pattern; may be given several times");
  training.add_with_default("--momentum", options.momentum, "X", number(0, 1), "Momentum of sgd");
  training.add("--weight-decay", options.weight_decay, "X", number(0),
               "Weight decay: decoupled in adamw, else added to the gradient (default: 0.01 for adamw, else 0)");
  training.add_with_default("--clip", options.clip, "NORM", number(0),
                            "Clip the global norm of the gradients to this value; 0 turns clipping off");
  training.add_with_default("--warmup", options.warmup, "STEPS", integer(0),
                            "Number of steps at the start over which the learning rate rises linearly");
  training.add_with_default("--decay", options.decay, "NAME", one_of("decay", decay_names()),
                            "Decay of the learning rate: " + list(decay_names()));
  training.add(
      "--decay-steps", options.decay_steps, "N", integer(1),
      "Number of steps after which linear and cosine decay reach their minimum (default: those of the training), "
      "or in which exponential and step decay multiply the rate by --decay-rate (default: those of an epoch)");
  training.add_with_default("--decay-rate", options.decay_rate, "X", share_above(0),
                            "Factor by which the rate is multiplied: in --decay-steps steps (exponential, step), or at "
                            "each plateau (plateau)");
  training.add_with_default("--decay-patience", options.decay_patience, "N", integer(1),
                            "A plateau is N epochs without a better --metric on the development part");
  training.add_with_default("--decay-floor", options.decay_floor, "X", share_from(0), "Minimum factor of any decay");
  training.add_flag("--sparse-updates", options.sparse_updates, "Update only the rows of tables that a minibatch uses");
}

void add_averaging(CLI::App& app, Options& options) {
  const OptionGroup training(app, kTraining);
  training
      .add_with_default("--accumulate", options.accumulate, "N", integer(1, 1'000'000),
                        "Sum the gradients of N minibatches for each step, which equals a step with a minibatch N "
                        "times as large; ranks share the N minibatches")
      ->each([&options](const std::string&) { options.accumulate_given = true; });
  training.add_with_default("--ema", options.ema, "X", number(0, 1),
                            "Evaluate, save and predict with exponential moving averages of the parameters with this "
                            "decay, as in 0.999; 0 turns averages off");
}

void add_json(CLI::App& app, Options& options, const std::string& doc) {
  OptionGroup(app, kOutput).add_flag("--json", options.json, doc);
}

std::uint64_t seed_of(const Options& options) { return options.seed.value_or(1); }

std::string engine_of(const Options& options) {
  std::optional<EngineKind> asked;
  if (!options.engine.empty()) asked = option_named<EngineKind>(options.engine);
  return std::string(to_string(engine_on(device_named(options.device).kind, asked)));
}

bool is_gpu(const Options& options) { return device_named(options.device).kind != DeviceKind::kCpu; }

std::string runnable_precision(const Options& options) {
  if (options.precision != "bf16" || is_gpu(options) || !bf16_instructions().empty()) return options.precision;
  static const bool told = [] {
    spdlog::warn(
        "--precision bf16 needs a processor with AMX or AVX-512 for bf16, and this one has neither; products run in "
        "fp32");
    return true;
  }();
  static_cast<void>(told);
  return "fp32";
}

SessionOptions session_options(const Options& options, std::shared_ptr<const LearnedPolicy> learned) {
  SessionOptions session;
  session.threads = options.threads;
  session.engine = option_named<EngineKind>(engine_of(options));
  session.device = device_named(options.device);
  session.policy = options.policy;
  session.learned = std::move(learned);
  session.precision = option_named<Precision>(runnable_precision(options));
  session.streaming = option_named<Streaming>(options.streaming);
  session.memory_limit = options.memory_limit.empty() ? 0 : parse_bytes(options.memory_limit);
  session.seed = seed_of(options);
  session.check_scripts = options.check_script;
  return session;
}

TrainOptions train_options(const Options& options, std::int64_t total_steps, std::int64_t steps_per_epoch,
                           std::shared_ptr<const LearnedPolicy> learned) {
  TrainOptions train;
  train.batch_size = options.batch_size;
  train.buckets = options.buckets;
  if (options.stream > 0) train.shuffle_buffer = options.stream;
  train.clip_norm = options.clip;
  train.accumulate = options.accumulate;
  train.ema = options.ema;
  train.seed = seed_of(options);
  train.optimizer = optimizer_defaults(options.optimizer);
  set_rates(options.lr, options.frozen, train.optimizer);
  train.optimizer.momentum = options.momentum;
  if (options.weight_decay) train.optimizer.weight_decay = *options.weight_decay;
  train.optimizer.sparse_updates = options.sparse_updates;
  LearningRateSchedule& schedule = train.optimizer.schedule;
  schedule.decay = find_decay(options.decay);
  schedule.warmup_steps = options.warmup;
  schedule.rate = options.decay_rate;
  schedule.patience = options.decay_patience;
  schedule.floor = options.decay_floor;
  using Decay = LearningRateSchedule::Decay;
  const bool to_the_end = schedule.decay == Decay::kLinear || schedule.decay == Decay::kCosine;
  schedule.decay_steps = 0;  // stays 0 for a decay that does not count steps, whatever was given
  if (schedule.counts_steps()) {
    const std::int64_t by_default = to_the_end ? total_steps - options.warmup : steps_per_epoch;
    schedule.decay_steps = options.decay_steps != 0 ? options.decay_steps : std::max<std::int64_t>(1, by_default);
  }
  train.session = session_options(options, std::move(learned));
  train.disabled_passes = options.disabled;
  return train;
}

std::string data_spec(const Options& options) {
  if (!options.data.empty()) return options.data;
  return std::string(options.preset.empty() ? find_model(options.model).data : find_preset(options.model).data);
}

Dataset load_training_data(const Options& options, const Model* network) {
  const ZooModel& zoo = find_model(options.model);
  const Model declared = zoo.make({.ed_batch = !options.preset.empty()});
  Dataset data = load_data(data_spec(options), {.limit = options.limit,
                                                .seed = seed_of(options),
                                                .min_count = options.min_count,
                                                .vocabulary = options.vocabulary,
                                                .stream = options.stream > 0,
                                                .steps = zoo.steps,
                                                .spelled_below = zoo.spelled_below,
                                                .graph_builder = zoo.graph_builder,
                                                .network = network != nullptr ? network : &declared});
  for (const std::string& warning : data.warnings) spdlog::warn("{}", warning);
  if (!options.preset.empty()) fold_ids(find_preset(options.model), data);
  return data;
}

ModelConfig model_config(const Options& options, const Dataset& data) {
  const ModelConfig config{.vocabulary = data.rows("word"),
                           .embedding = options.embedding,
                           .hidden = options.hidden,
                           .classes = data.classes,
                           .dropout = options.dropout,
                           .seed = seed_of(options),
                           .class_weights = class_weights(options.class_weights, data),
                           .label_smoothing = options.label_smoothing};
  return options.preset.empty() ? config : preset_config(find_preset(options.model), config);
}

}  // namespace cavs::cli
