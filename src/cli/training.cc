#include "cli/training.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "cavs/evaluator.h"
#include "cavs/fit.h"
#include "cavs/inspect.h"
#include "cavs/trained_model.h"
#include "cavs/vocabulary.h"
#include "cli/best_file.h"
#include "cli/epoch_report.h"
#include "cli/history_file.h"
#include "cli/input_files.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output_files.h"
#include "cli/policy_option.h"
#include "cli/rate_options.h"
#include "cli/report.h"
#include "cli/resume.h"
#include "cli/step_times.h"
#include "cli/terminal.h"
#include "cli/trained_data.h"
#include "cli/usage_error.h"
#include "cli/word_vectors.h"
#include "measure/learning_curve.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

class Training {
 public:
  Training(const TrainArguments& arguments, std::shared_ptr<Job> job)
      : arguments_(arguments),
        job_(std::move(job)),
        files_(arguments_),
        data_(load()),
        metric_(metric_for(find_model(arguments.model), data_.tag_scheme)),
        measure_(find_measure(default_measure(), metric_)),
        vectors_(load_word_vectors()),
        model_(model_to_train()),
        learned_(learned()),
        trainer_(model_, data_, train_options()),
        record_(trainer_.record()),
        table_(metric_, table_file()) {
    recorded_ = recorded_options(arguments_, trainer_, data_);
    recorded_["--vectors"] = vectors_ ? vectors_hash(*vectors_) : kNoVectors;
    if (arguments_.decay == "plateau") recorded_["--metric"] = measure_.name;
    record_.extra[kZooModelKey] = arguments_.model;
    warn_of_lexicon();
    if (learned_) record_.extra[kPolicyKey] = policy_to_json(*learned_);
    record_options(recorded_, record_);
    spdlog::info("{}: {} parameters, {} steps per epoch, {} threads", arguments_.model,
                 count_numbers(trainer_.parameters()), trainer_.steps_per_epoch(), trainer_.session().threads());
    log_device();
    for (const std::string& port : inspect::unused_ports(model_, data_.train))
      spdlog::warn("{} does not read port '{}' of the data", arguments_.model, port);
    if (resumed_)
      resume(recorded_);
    else if (vectors_)
      use_vectors(*vectors_, model_, trainer_.parameters());
    vectors_.reset();
    history_.emplace(is_main_rank() ? arguments_.history : "", record_, arguments_.overwrite);
  }

  void run() {
    watch_for_interrupt();
    Progress progress(trainer_.steps_per_epoch(), arguments_.epochs, trainer_.position().step,
                      is_main_rank() ? progress_output() : ProgressOutput{.line = [](const std::string&) {}});
    FitOptions options{.epochs = arguments_.epochs,
                       .save = arguments_.save,
                       .save_every = arguments_.save_every,
                       .metric = metric_,
                       .best_by = default_measure(),
                       .save_best = arguments_.save_best,
                       .patience = arguments_.patience};
    FitHooks hooks{.look = false,
                   .step =
                       [&](const TrainStep& step) {
                         progress.step(step);
                         times_.add(step);
                       },
                   .epoch =
                       [&](const EpochReport& report) {
                         progress.end_epoch();
                         table_.add(report);
                         epochs_.push_back(cli::to_json(report, metric_));
                         history_->add(epochs_.back());
                         has_best_ = has_best_ || (report.best && !arguments_.save_best.empty());
                       },
                   .stop = interrupted,
                   .save =
                       [&] {
                         const bool asked = asked_to_save();
                         if (asked) {
                           progress.clear();
                           say_saving();
                         }
                         return asked;
                       }};
    const bool finished = fit(trainer_, data_.dev, options, hooks);
    progress.clear();
    if (!finished) say_stopped();
    if (finished && trainer_.position().epoch < arguments_.epochs) say_out_of_patience();
    if (job_ != nullptr) spdlog::info("{}", times_.describe(job_->ranks()));
    if (is_main_rank()) report(finished);
  }

 private:
  /// True for the only rank that writes files and prints.
  bool is_main_rank() const { return job_ == nullptr || job_->rank() == 0; }
  /// Returns the name of the metric that --metric gives; empty for the metric of the last column. Taggers whose tags do
  /// not mark entities use accuracy, because their last column is the accuracy at the roots.
  std::string default_measure() const {
    const bool classes = metric_ == Metric::kAccuracy && find_model(arguments_.model).metric == Metric::kF1;
    return arguments_.metric.empty() && classes ? "accuracy" : arguments_.metric;
  }

  void warn_of_lexicon() const {
    if (data_.lexicon != nullptr && !record_.data.lexicon)
      spdlog::warn(
          "the lexicon is larger than the {} MiB that a checkpoint saves; 'cavs predict' will need its file, or "
          "--lexicon",
          kMaxLexiconBytes >> 20);
  }

  /// Logs the GPU and, for engine persistent, the weights that its processors keep.
  void log_device() {
    if (!is_gpu(arguments_)) return;
    for (const std::string& line : trainer_.session().describe()) spdlog::info("{}", line);
  }

  /// Chooses the engine. Resumed training keeps the device and engine of the checkpoint unless others are given.
  void find_engine() {
    if (resumed_) {
      trained_on_ = recorded_option(*resumed_, arguments_.resume, kDevice).value_or("cpu");
      if (!arguments_.device_given) arguments_.device = trained_on_;
      const auto engine = recorded_option(*resumed_, arguments_.resume, kEngine);
      if (engine && arguments_.engine.empty() && device_kind(arguments_.device) == trained_on_)
        arguments_.engine = engine_to_resume(*engine, trained_on_);
    }
    arguments_.engine = engine_of(arguments_);
    if (arguments_.check_script && !is_gpu(arguments_))
      throw UsageError("train", fmt::format("--check-script checks scripts of --device cuda, found device {}; add "
                                            "--device cuda, or leave --check-script out",
                                            arguments_.device));
  }

  /// Returns the stream for the table of epochs: standard output; standard error with --json; null with --json --quiet.
  std::FILE* table_file() const {
    if (!is_main_rank()) return nullptr;
    if (!arguments_.json) return stdout;
    return spdlog::should_log(spdlog::level::info) ? stderr : nullptr;
  }

  Dataset load() {
    watch_for_save_requests();
    files_.saves("--save", arguments_.save, arguments_.resume);
    files_.continues("--save-best", arguments_.save_best, arguments_.resume, true);
    files_.continues("--history", arguments_.history, arguments_.resume, false);
    files_.writes("--curve", arguments_.curve);
    files_.reads("--vectors", arguments_.vectors);
    if (is_main_rank()) files_.claim();
    if (!arguments_.resume.empty()) resumed_ = read_checkpoint(arguments_.resume, job_.get());
    find_engine();
    if (resumed_ && !arguments_.accumulate_given)
      if (const auto before = recorded_option(*resumed_, arguments_.resume, "--accumulate"))
        arguments_.accumulate = std::stoi(*before);
    // For a resumed network, graphs are built for its saved vertex functions, which may not be those declared now.
    const std::optional<Model> network = resumed_ ? std::optional(Model::from_json(resumed_->model)) : std::nullopt;
    Dataset data = load_training_data(arguments_, network ? &*network : nullptr);
    const bool scored = std::ranges::find(data.schema.float_ports, "score", &GraphSchema::FloatPort::name) !=
                        data.schema.float_ports.end();
    user_check(data.classes > 0, "data '{}' have no labels to learn{}; expected at least one vertex with a label",
               data_spec(arguments_), scored ? ", only scores, which 'cavs train' learns for pairs (pair=COLUMN)" : "");
    spdlog::info("{}: {} to train on; {} to develop on; {} words, {} classes", data_spec(arguments_),
                 describe_train(data), data.dev.size() > 0 ? describe(data.dev) : "none", data.rows("word"),
                 data.classes);
    return data;
  }

  /// Loads --vectors, and sets the embedding size to the size of the vectors.
  std::optional<WordVectors> load_word_vectors() {
    if (arguments_.vectors.empty()) return std::nullopt;
    WordVectors vectors = load_vectors(arguments_.vectors, data_.words);
    user_check(!arguments_.embedding_given || arguments_.embedding == vectors.width,
               "--vectors {} has {} numbers per word, but --embedding is {}; leave --embedding out, or set it to {}",
               arguments_.vectors, vectors.width, arguments_.embedding, vectors.width);
    arguments_.embedding = vectors.width;
    for (const std::string& warning : vectors.warnings) spdlog::warn("{}", warning);
    spdlog::info("{}: {}", arguments_.vectors, describe(vectors, data_.words));
    return vectors;
  }

  static std::string describe_train(const Dataset& data) {
    return data.stream == nullptr ? describe(data.train)
                                  : fmt::format("a stream of {} samples", data.stream->samples());
  }

  /// Returns the samples that policy "fsm" learns from. @throws UserError for a stream
  const GraphSet* policy_samples() const {
    user_check(data_.stream == nullptr || arguments_.policy != "fsm",
               "--policy fsm learns from data in memory; with --stream, run 'cavs learn-policy' first and give "
               "--policy fsm:FILE");
    return &data_.train;
  }

  /// Returns the learned policy. Resumed training uses the policy of the checkpoint, since its file may be gone.
  std::shared_ptr<const LearnedPolicy> learned() const {
    Options options = arguments_;
    if (resumed_) options.policy = policy_kind(options.policy);
    return learned_policy(options, model_, policy_samples(), resumed_ ? &*resumed_ : nullptr);
  }

  TrainOptions train_options() const {
    const std::int64_t a_step = std::int64_t{arguments_.batch_size} * arguments_.accumulate;
    const std::int64_t steps = (train_samples(data_) + a_step - 1) / a_step;
    TrainOptions options = cli::train_options(arguments_, steps * arguments_.epochs, steps, learned_);
    options.job = job_;
    return options;
  }

  /// Returns the declared model or, for resumed training, the model of the checkpoint, which another version of the
  /// library may have declared in another way.
  Model model_to_train() const {
    Model declared = declared_model();
    if (!resumed_) return declared;
    Model saved = Model::from_json(resumed_->model);
    // If the models or their sizes differ, resume() reports the option that differs.
    const auto same = [](const ParameterInfo& a, const ParameterInfo& b) {
      return a.name == b.name && a.shape == b.shape && a.table == b.table;
    };
    return std::ranges::equal(saved.parameters(), declared.parameters(), same) ? saved : declared;
  }

  Model declared_model() const {
    const ZooModel& zoo = find_model(arguments_.model);
    ModelConfig config = model_config(arguments_, data_);
    Model model = zoo.make(config);
    if (config.class_weights.empty() && config.label_smoothing == 0) return model;
    config.class_weights.clear();
    config.label_smoothing = 0;
    user_check(
        model.to_json() != zoo.make(config).to_json(),
        "--class-weights and --label-smoothing need a softmax over classes, but {} has another loss; leave them out",
        arguments_.model);
    return model;
  }

  void resume(const std::map<std::string, std::string>& recorded) {
    const Checkpoint& checkpoint = *resumed_;
    const bool same_dev = check_resumed(checkpoint, recorded, arguments_.resume, arguments_.new_dev);
    const DataRecord &before = checkpoint.data, &now = record_.data;
    user_check(before.words == now.words,
               "{} has a vocabulary of {} words, but the data have {} different words; resume with the same --data and "
               "--min-count",
               arguments_.resume, before.words.size(), now.words.size());
    const auto shown = [](const std::vector<std::string>& names) {
      return names.empty() ? "none" : Json(names).dump();
    };
    user_check(before.class_names == now.class_names,
               "{} has the classes {}, but the data have {}; resume with the same --data", arguments_.resume,
               shown(before.class_names), shown(now.class_names));
    user_check(before.port_words == now.port_words && before.edge_names == now.edge_names,
               "{} was trained with other texts at index ports; resume with the same --data", arguments_.resume);
    const auto best_so_far = best_epoch(dev_history(checkpoint, measure_), measure_.lower_is_better);
    has_best_ = is_main_rank() && has_best_file(arguments_.save_best, checkpoint, best_so_far ? best_so_far->epoch : 0,
                                                arguments_.overwrite);
    trainer_.restore(checkpoint, false);  // options were compared above, also for older files
    if (!same_dev) forget_dev(record_, metric_);
    resumed_.reset();
    if (trained_on_ != device_kind(arguments_.device))
      spdlog::warn(
          "{} was trained on device {}, and continues on {}; results will not be bit-identical to an uninterrupted "
          "training",
          arguments_.resume, trained_on_, arguments_.device);
    const auto& position = trainer_.position();
    spdlog::info("resumed {} after {} steps: epoch {}, {} of {} samples done", arguments_.resume, position.step,
                 position.epoch + 1, position.sample, train_samples(data_));
    if (const auto best = find_best(); best && !has_best_ && !arguments_.save_best.empty())
      spdlog::warn("epoch {} is the best so far, but {} does not exist; a later epoch that is better will create it",
                   best->epoch, arguments_.save_best);
  }

  std::optional<BestEpoch> find_best() const {
    return best_epoch(dev_history(record_, measure_), measure_.lower_is_better);
  }

  std::string where() const {
    const auto& position = trainer_.position();
    return fmt::format("in epoch {} after {} of {} samples", position.epoch + 1, position.sample, train_samples(data_));
  }

  void say_stopped() const {
    const std::string stopped =
        fmt::format("{}: stopped {}", interrupted() ? interrupt_name() : "another rank", where());
    if (arguments_.save.empty())
      spdlog::warn("{}; nothing was saved, because --save was not given", stopped);
    else
      spdlog::info("{}; saved {}; to continue, run the same command with --resume {}{}", stopped, arguments_.save,
                   arguments_.save, arguments_.curve.empty() ? "" : " --overwrite (the learning curve)");
  }

  void say_out_of_patience() const {
    spdlog::info("no better {} for {} epochs; ended after epoch {}", measure_.title, arguments_.patience,
                 trainer_.position().epoch);
  }

  void say_saving() const {
    if (arguments_.save.empty())
      spdlog::warn("SIGUSR1 {}: nothing is saved, because --save was not given", where());
    else
      spdlog::info("SIGUSR1 {}: saving {}", where(), arguments_.save);
  }

  void report(bool finished) {
    write_curve();
    const std::optional<BestEpoch> best = find_best();
    if (arguments_.json) {
      Json json{{"model", arguments_.model}, {"data", record_.data.spec}, {"finished", finished}, {"epochs", epochs_}};
      if (best)
        json.update(Json{{"best_epoch", best->epoch}, {fmt::format("best_dev_{}", measure_.name), best->value}});
      json["steps"] = trainer_.position().step;
      json["parameters"] = count_numbers(trainer_.parameters());
      json["ranks"] = job_ == nullptr ? 1 : job_->ranks();
      json["threads"] = trainer_.session().threads();
      if (!arguments_.save.empty()) json["checkpoint"] = arguments_.save;
      if (has_best_) json["best_checkpoint"] = arguments_.save_best;
      if (!arguments_.curve.empty()) json["curve"] = arguments_.curve;
      return print_json(json);
    }
    if (best) fmt::print("best epoch: {}, {}\n", best->epoch, describe_result(measure_, best->value));
    if (has_best_) fmt::print("best checkpoint: {}\n", arguments_.save_best);
    if (!arguments_.save.empty()) {
      const auto& position = trainer_.position();
      fmt::print("checkpoint: {} ({})\n", arguments_.save,
                 position.sample == 0 ? fmt::format("after epoch {}", position.epoch) : where());
    }
    if (!arguments_.curve.empty()) fmt::print("learning curve: {}\n", arguments_.curve);
  }

  void write_curve() {
    if (arguments_.curve.empty()) return;
    const bool by_loss = measure_.value == &Evaluation::loss;  // the chart has the loss anyway
    write_file("--curve", arguments_.curve,
               to_svg(LearningCurve{.title = fmt::format("{} on {}", arguments_.model, record_.data.spec),
                                    .train_loss = record_.metrics["train_loss"],
                                    .dev_loss = dev_history(record_, find_measure("loss", metric_)),
                                    .dev_metric = by_loss ? std::vector<double>() : dev_history(record_, measure_),
                                    .metric_name = long_title(measure_),
                                    .metric_is_share = measure_.share}));
  }

  TrainArguments arguments_;
  const std::shared_ptr<Job> job_;
  OutputFiles files_;
  std::optional<Checkpoint> resumed_;  // reset after its state has been restored
  std::string trained_on_;             // device of the resumed checkpoint
  Dataset data_;
  Metric metric_;
  const MetricColumn& measure_;         // column of the metric by which epochs are compared
  std::optional<WordVectors> vectors_;  // reset after use_vectors()
  Model model_;
  std::shared_ptr<const LearnedPolicy> learned_;
  Trainer trainer_;
  TrainingRecord& record_;
  EpochTable table_;
  StepTimes times_;
  std::map<std::string, std::string> recorded_;  // as text by name: options that are saved in checkpoints
  std::optional<HistoryFile> history_;
  bool has_best_ = false;  // true if the --save-best file belongs to this training
  Json epochs_ = Json::array();
};

}  // namespace

void train(const TrainArguments& arguments, const std::shared_ptr<Job>& job) { Training(arguments, job).run(); }

}  // namespace cavs::cli
