#include "cli/options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <thread>

#include "backend/cpu/kernels.h"
#include "cli/class_weights.h"
#include "cli/config_file.h"
#include "cli/policy_option.h"
#include "cli/preset.h"
#include "cli/rate_options.h"
#include "cli/validators.h"
#include "compile/passes.h"
#include "execute/engines.h"
#include "schedule/policy.h"
#include "support/check.h"
#include "update/optimizer_options.h"

namespace cavs::cli {
namespace {

constexpr const char* kData = "Data";
constexpr const char* kModel = "Model";
constexpr const char* kTraining = "Training";
constexpr const char* kExecution = "Execution";
constexpr const char* kOutput = "Output";

std::vector<std::string> pass_names() {
  const auto names = optional_passes();
  return {names.begin(), names.end()};
}

std::vector<std::string> names_of_decays() {
  const auto names = cavs::decay_names();
  return {names.begin(), names.end()};
}

std::vector<std::string> optimizer_names() {
  const auto kinds = optimizer_kinds();
  return {kinds.begin(), kinds.end()};
}

std::string list(const std::vector<std::string>& names) { return CLI::detail::join(names, ", "); }

int available_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

void add_model(CLI::App& app, Options& options) {
  add_config(app, options);
  app.add_option("MODEL", options.model, "A model of 'cavs models'")
      ->type_name("")
      ->required()
      ->check(one_of("model", names_of(all_models())));
}

void add_checkpoint(CLI::App& app, Options& options) {
  add_config(app, options);
  app.add_option("CHECKPOINT", options.model, "A file that 'cavs train --save' wrote")
      ->type_name("")
      ->required()
      ->check(file_name());
}

void add_data(CLI::App& app, Options& options, bool vocabulary) {
  app.add_option("--data", options.data,
                 "listops, binary-trees, random-trees, markov, tags, lattices, translations, tree-pairs, expressions, "
                 "moving-shapes, sst:DIR, trees:FILE, jsonl:FILE, table:FILE,..., text:FILE, conll:FILE, conllu:FILE, "
                 "sick:DIR, weibo:DIR or parallel:SOURCE+TARGET; generators take options, as in "
                 "listops:train=20000,length=50 (default: what the model was made for)")
      ->type_name("SPEC")
      ->check(data_text())
      ->group(kData);
  add_limits(app, options, vocabulary);
}

void add_limits(CLI::App& app, Options& options, bool vocabulary) {
  app.add_option("--limit", options.limit, "Only the first N samples")->type_name("N")->check(integer(1))->group(kData);
  if (!vocabulary) return;
  app.add_option("--vocabulary", options.vocabulary,
                 "Only the N most frequent words of the training data, <unk> and <eos> included; others are unknown "
                 "(default: all)")
      ->type_name("N")
      ->check(integer(2))
      ->group(kData);
  app.add_option("--min-count", options.min_count, "Words seen less often in the training data are unknown")
      ->type_name("N")
      ->check(integer(1))
      ->capture_default_str()
      ->group(kData);
}

void add_sizes(CLI::App& app, Options& options) {
  app.add_option("--hidden", options.hidden, "Numbers in a state of a vertex")
      ->type_name("N")
      ->check(integer(1, 65'536))
      ->capture_default_str()
      ->group(kModel);
  app.add_option("--embedding", options.embedding, "Numbers a word")
      ->type_name("N")
      ->check(integer(1, 65'536))
      ->capture_default_str()
      ->group(kModel);
  app.add_option("--dropout", options.dropout, "Probability of dropout before the output layer, in training")
      ->type_name("P")
      ->check(number(0, 1))
      ->capture_default_str()
      ->group(kModel);
}

void add_class_loss(CLI::App& app, Options& options) {
  app.add_option(
         "--class-weights", options.class_weights,
         "What the loss of each class is multiplied with: NAME=WEIGHT,... by tags or numbers of classes (others: "
         "1), or balanced: rarer ones more, so that all count alike")
      ->type_name("LIST")
      ->check(class_weight_list())
      ->group(kTraining);
  app.add_option("--label-smoothing", options.label_smoothing,
                 "The share of the target that all classes have alike, in the loss")
      ->type_name("X")
      ->check(share_from(0))
      ->capture_default_str()
      ->group(kTraining);
}

void add_batch_size(CLI::App& app, Options& options) {
  app.add_option("--batch-size", options.batch_size, "Samples in a minibatch")
      ->type_name("N")
      ->check(integer(1, 1'000'000))
      ->capture_default_str()
      ->group(kExecution);
}

void add_sample_order(CLI::App& app, Options& options) {
  app.add_option(
         "--bucket", options.buckets,
         "Sort the shuffled samples of N minibatches by size, so that those of a minibatch are alike; 0: do not")
      ->type_name("N")
      ->check(integer(0, 1'000'000))
      ->capture_default_str()
      ->group(kExecution);
  app.add_option("--stream", options.stream,
                 "Read the training samples (text, a line a sample) when they are needed, and draw from N of them in "
                 "memory; 0: all are in memory")
      ->type_name("N")
      ->check(integer(0, 1'000'000'000))
      ->capture_default_str()
      ->group(kData);
}

void add_seed(CLI::App& app, Options& options, const std::string& doc) {
  app.add_option("--seed", options.seed, doc)->type_name("N")->check(integer(0, INT64_MAX))->group(kExecution);
}

namespace {

CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value,
                        std::span<const std::string_view> names, const std::string& doc) {
  return app.add_option("--" + name, value, doc)
      ->type_name("NAME")
      ->check(one_of(name, {names.begin(), names.end()}))
      ->capture_default_str()
      ->group(kExecution);
}

}  // namespace

void add_policy(CLI::App& app, Options& options) {
  app.add_option("--policy", options.policy,
                 "How vertices are batched: " + list(names_of(all_policies())) +
                     "; fsm learns when it starts, fsm:FILE is what 'cavs learn-policy' wrote")
      ->type_name("NAME")
      ->check(policy_name())
      ->capture_default_str()
      ->group(kExecution);
}

void add_session(CLI::App& app, Options& options) {
  options.threads = available_threads();
  app.add_option("--threads", options.threads, "Threads that compute; results are the same bits for any number")
      ->type_name("N")
      ->check(integer(1, 1024))
      ->capture_default_str()
      ->group(kExecution);
  add_choice(app, "engine", options.engine, cavs::option_names<EngineKind>(),
             "Of the CPU batched (default), or reference: one vertex at a time in plain loops, as an oracle; of a GPU "
             "persistent (default)");
  app.add_option("--device", options.device, "cpu, cuda (a GPU), cuda:1 (the next one); other bits than the CPU's")
      ->type_name("NAME")
      ->check(device_name())
      ->capture_default_str()
      ->group(kExecution)
      ->each([&options](const std::string&) { options.device_given = true; });
  add_policy(app, options);
  add_choice(app, "precision", options.precision, cavs::option_names<Precision>(),
             "Of products' operands: fp32, or bf16 on processors with AMX or AVX-512 for it; all else stays fp32");
  add_choice(app, "streaming", options.streaming, cavs::option_names<Streaming>(),
             "Threads that wait for small tasks do lazy work: auto (where it should pay), on, off");
  app.add_option("--memory-limit", options.memory_limit,
                 "Bytes that a minibatch may take, as in 2GiB (default: 90 % of what is available)")
      ->type_name("SIZE")
      ->check(byte_size())
      ->group(kExecution);
}

void add_passes(CLI::App& app, Options& options) {
  app.add_option("--disable", options.disabled, "Compile without a pass: " + list(pass_names()))
      ->type_name("PASS")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->delimiter(',')
      ->expected(1)
      ->check(one_of("pass", pass_names()))
      ->group(kExecution);
}

void add_optimizer(CLI::App& app, Options& options, const std::string& kind) {
  options.optimizer = kind;
  const auto add = [&](const char* name, auto& value, const char* type, const CLI::Validator& check,
                       const std::string& doc) {
    return app.add_option(name, value, doc)->type_name(type)->check(check)->group(kTraining);
  };
  add("--optimizer", options.optimizer, "NAME", one_of("optimizer", optimizer_names()), list(optimizer_names()))
      ->capture_default_str();
  add("--lr", options.lr, "RATE", learning_rate(),
      "Learning rate (default: 0.01 for adagrad, else 0.001); with a pattern of names, of those parameters: "
      "'embedding=0.01', or 'embedding=0.1x' for a tenth of it; may be given several times")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1);
  add("--freeze", options.frozen, "PATTERN", name_pattern(),
      "Leave the parameters of these names as they are; may be given several times")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1);
  add("--momentum", options.momentum, "X", number(0, 1), "Of sgd")->capture_default_str();
  add("--weight-decay", options.weight_decay, "X", number(0),
      "Decoupled with adamw, else added to the gradient (default: 0.01 for adamw, else 0)");
  add("--clip", options.clip, "NORM", number(0), "Scale gradients down to this norm of all together; 0: do not")
      ->capture_default_str();
  add("--warmup", options.warmup, "STEPS", integer(0), "Raise the learning rate linearly in the first steps")
      ->capture_default_str();
  add("--decay", options.decay, "NAME", one_of("decay", names_of_decays()),
      "Of the learning rate: " + list(names_of_decays()))
      ->capture_default_str();
  add("--decay-steps", options.decay_steps, "N", integer(1),
      "Steps of the decay (default: linear and cosine end with the training, exponential and step count epochs)");
  add("--decay-rate", options.decay_rate, "X", share_above(0),
      "What exponential and step decay multiply with after each --decay-steps, and plateau after each plateau")
      ->capture_default_str();
  add("--decay-patience", options.decay_patience, "N", integer(1),
      "Plateau: epochs without a better --metric on the development part")
      ->capture_default_str();
  add("--decay-floor", options.decay_floor, "X", share_from(0), "The least factor of any decay")->capture_default_str();
  app.add_flag("--sparse-updates", options.sparse_updates, "Update only the rows of tables that a minibatch uses")
      ->group(kTraining);
}

void add_averaging(CLI::App& app, Options& options) {
  app.add_option(
         "--accumulate", options.accumulate,
         "Add up the gradients of N minibatches for a step, which is then that of one minibatch N times as large")
      ->type_name("N")
      ->check(integer(1, 1'000'000))
      ->capture_default_str()
      ->group(kTraining);
  app.add_option(
         "--ema", options.ema,
         "Evaluate, save and predict with moving averages of the parameters of this decay, as in 0.999; 0: do not")
      ->type_name("X")
      ->check(number(0, 1))
      ->capture_default_str()
      ->group(kTraining);
}

void add_json(CLI::App& app, Options& options, const std::string& doc) {
  app.add_flag("--json", options.json, doc)->group(kOutput);
}

std::uint64_t seed_of(const Options& options) { return options.seed.value_or(1); }

std::string engine_of(const Options& options) {
  std::optional<EngineKind> asked;
  if (!options.engine.empty()) asked = option_named<EngineKind>(options.engine);
  return std::string(to_string(find_engine(asked, device_named(options.device).kind).engine));
}

bool is_gpu(const Options& options) { return device_named(options.device).kind != DeviceKind::kCpu; }

std::string runnable_precision(const Options& options) {
  if (options.precision == "fp32" || is_gpu(options) || !cpu::bf16_instruction_set().empty()) return options.precision;
  static const bool told = [] {
    spdlog::warn(
        "this processor has neither AMX nor AVX-512 for bf16, one of which --precision bf16 needs; products run in "
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
  schedule.decay_steps = 0;  // where nothing counts them, whatever is given
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
