#include "cavs/fit.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "cavs/evaluator.h"
#include "cavs/files.h"
#include "support/check.h"
#include "train/epoch_watch.h"
#include "train/rank_facts.h"

namespace cavs::inline v0_1 {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kSoFar = "epoch_so_far";  // the metric {loss_sum_, labels_, epoch, sample} of an unfinished epoch
/// Bits of the requests that ranks send to each other (Job::ask).
constexpr std::uint32_t kStop = 1, kSave = 2;

class Fit {
 public:
  Fit(Trainer& trainer, const GraphSet& dev, const FitOptions& options, const FitHooks& hooks)
      : trainer_(trainer),
        options_(options),
        hooks_(hooks),
        metrics_(trainer.record().metrics),
        watch_(trainer.model(), dev, options, trainer.optimizer(), metrics_),
        job_(trainer.options().job),
        dev_samples_(dev.size()) {
    for (const std::string& path : {options.save, options.save_best})
      if (!path.empty() && writes()) output_path(path);  // fails before the first step, not after an epoch
    const auto file_of = [](const std::string& path) {
      return std::filesystem::weakly_canonical(output_path(path).file);
    };
    user_check(options.save.empty() || options.save_best.empty() || file_of(options.save) != file_of(options.save_best),
               "{} is both the latest checkpoint and the best one, so each would overwrite the other; name two files",
               options.save);
    user_check(options.epochs >= 0, "the number of epochs is {}; expected 0 or more", options.epochs);
    check_metrics();
    if (dev.size() > 0)
      evaluator_.emplace(trainer.model(), trainer.evaluated_parameters(), dev,
                         EvaluatorOptions{trainer.options().session, trainer.options().batch_size, options.metric,
                                          trainer.record().data.class_names, job_});
    const auto so_far = metrics_.find(kSoFar);
    if (so_far == metrics_.end()) return;
    const std::vector<double>& kept = so_far->second;
    user_check(kept.size() == 2 || kept.size() == 4, "metric '{}' has {} numbers; expected 4", kSoFar, kept.size());
    if (kept.size() == 4 && !(kept[2] == epoch() && kept[3] == sample())) return;  // steps have been made since
    loss_sum_ = kept[0];
    labels_ = kept[1];
  }

  bool run() {
    expect_same_options();
    if (wants_more() && watch_.unchecked())
      watch_.check(evaluator_ ? std::optional(evaluator_->evaluate()) : std::nullopt);
    start_ = Clock::now();
    std::int64_t epoch = trainer_.position().epoch, number = trainer_.position().step;
    bool stop = false, asked = false;
    while (trainer_.is_ahead() || wants_more()) {
      const bool due = options_.save_every > 0 && (number + 1) % options_.save_every == 0;
      ++number;
      const std::optional<TrainStep> done = next_step(!looks_ && !due && !stop && !asked);
      if (!done) {
        save_latest();
        return false;
      }
      const TrainStep& step = *done;
      loss_sum_ += step.loss_sum;
      labels_ += static_cast<double>(step.labels);
      samples_ += step.samples;
      if (hooks_.step) hooks_.step(step);
      const bool ended = !trainer_.is_ahead() && trainer_.position().epoch > epoch;
      if (ended && end_epoch(step)) save(options_.save_best);
      stop = is_asked(kStop, hooks_.stop) || stop;
      asked = is_asked(kSave, hooks_.save) || asked;
      if (trainer_.is_ahead()) continue;
      epoch = trainer_.position().epoch;
      if (ended || stop || due || asked) save_latest();
      asked = false;
      if (stop && wants_more()) return false;
    }
    if (!saved_) save_latest();  // true if there was no step to make
    keep_epoch_so_far();
    if (job_ != nullptr) job_->meet("the end of training");
    return true;
  }

 private:
  /// True on rank 0, which writes the files for all ranks.
  bool writes() const { return job_ == nullptr || job_->rank() == 0; }

  /// Checks that all ranks have the same options: ranks that save or stop at different times would not meet.
  void expect_same_options() const {
    if (job_ == nullptr) return;
    const auto text = [](std::int64_t number) { return fmt::format("{}", number); };
    constexpr const char* kRemedy = "give all ranks the same options";
    job_->expect_same("the beginning of training",
                      {{"epochs", text(options_.epochs), kRemedy},
                       {"save_every", text(options_.save_every), kRemedy},
                       {"a checkpoint to save (1) or none (0)", text(options_.save.empty() ? 0 : 1), kRemedy},
                       {"a best checkpoint to save (1) or none (0)", text(options_.save_best.empty() ? 0 : 1), kRemedy},
                       {"patience", text(options_.patience), kRemedy},
                       {"metric", options_.best_by, kRemedy},
                       {"development samples", text(dev_samples_), kRemedy},
                       {"custom metrics", text(std::ssize(options_.own)), kRemedy}});
  }

  /// True if the hook returns true. With several ranks, true if the hook of any rank returned true before the last
  /// step, so that all ranks stop or save at the same step.
  bool is_asked(std::uint32_t request, const std::function<bool()>& hook) const {
    const bool here = hook && hook();
    if (job_ == nullptr) return here;
    if (here) job_->ask(request);
    return (asked_ & request) != 0;
  }

  /// Checks that the metrics have one value for each epoch so far.
  void check_metrics() const {
    const auto losses = metrics_.find("train_loss");
    const std::int64_t known = losses == metrics_.end() ? 0 : std::ssize(losses->second);
    const std::int64_t begun = trainer_.position().epoch;
    user_check(known <= begun,
               "the trainer's record has the metrics of {} epochs, but the trainer is in epoch {}; leave "
               "Trainer::record's metrics to fit()",
               known, begun + 1);
  }
  double epoch() const { return static_cast<double>(trainer_.position().epoch); }
  double sample() const { return static_cast<double>(trainer_.position().sample); }
  bool wants_more() const { return trainer_.position().epoch < options_.epochs && !watch_.is_over(); }

  /// Makes a step. The result is absent if the step failed and training ends.
  std::optional<TrainStep> next_step(bool another) {
    try {
      TrainStep step = trainer_.step(another);
      if (job_ != nullptr) asked_ = job_->take_asked();
      return step;
    } catch (...) {
      if (job_ != nullptr || !hooks_.failed || !hooks_.failed(std::current_exception())) throw;
      return std::nullopt;
    }
  }

  /// @return true if the epoch is the best so far
  bool end_epoch(const TrainStep& last) {
    EpochReport report;
    report.epoch = trainer_.position().epoch;
    report.train_loss = labels_ == 0 ? 0 : loss_sum_ / labels_;
    report.learning_rate = last.learning_rate;
    report.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    report.samples_per_second = static_cast<double>(samples_) / report.seconds;
    report.train_perplexity = std::exp(report.train_loss);
    if (evaluator_) {
      report.dev = evaluator_->evaluate();
      user_check(report.dev->labels == 0 || std::isfinite(report.dev->loss),
                 "epoch {}: the loss on the development part is {}; the last checkpoint is unchanged; try a lower "
                 "learning rate",
                 report.epoch, report.dev->loss);
      if (report.dev->labels == 0) report.dev.reset();
    }
    for (const OwnMetric& own : options_.own) report.own[own.name] = of_rank_0(own.compute());
    record(report);
    report.best = watch_.is_best();
    watch_.reduce_rate(trainer_.optimizer());
    loss_sum_ = labels_ = 0;
    samples_ = 0;
    if (hooks_.epoch) hooks_.epoch(report);
    start_ = Clock::now();
    return report.best;
  }

  double of_rank_0(double value) const {
    if (job_ == nullptr) return value;
    const std::vector<std::byte> shared = job_->share("a custom metric", std::as_bytes(std::span(&value, 1)));
    CAVS_ASSERT(shared.size() == sizeof value);
    std::memcpy(&value, shared.data(), sizeof value);
    return value;
  }

  void record(const EpochReport& report) {
    const auto add = [&](const std::string& name, double value) { metrics_[name].push_back(value); };
    add("train_loss", report.train_loss);
    if (options_.metric == Metric::kPerplexity) add("train_perplexity", report.train_perplexity);
    for (const OwnMetric& own : options_.own) add("dev_" + own.name, report.own.at(own.name));
    if (!report.dev) return;
    add("dev_loss", report.dev->loss);
    for (const MetricColumn& column : metric_info(options_.metric.value_or(Metric::kAccuracy)).columns)
      if (const double value = (*report.dev).*column.value; !std::isnan(value))  // NaN if it cannot be computed
        add(std::string("dev_") + column.name, value);
  }

  void keep_epoch_so_far() {
    metrics_.erase(kSoFar);
    if (trainer_.position().sample > 0) metrics_[kSoFar] = {loss_sum_, labels_, epoch(), sample()};
  }

  void save(const std::string& path) {
    if (path.empty()) return;
    keep_epoch_so_far();
    if (job_ != nullptr)
      job_->expect_same("the checkpoint", {{"parameters (hash)", hash_of(trainer_.parameters()),
                                            "nothing is saved; since all ranks make the same updates, this is an error "
                                            "of the library or of a processor; please report it"}});
    if (writes()) save_checkpoint(path, trainer_.checkpoint());
  }

  void save_latest() {
    save(options_.save);
    saved_ = true;
  }

  Trainer& trainer_;
  const FitOptions& options_;
  const FitHooks& hooks_;
  std::map<std::string, std::vector<double>>& metrics_;
  std::optional<Evaluator> evaluator_;  // absent without development data
  EpochWatch watch_;
  const std::shared_ptr<Job> job_;
  const std::int64_t dev_samples_;
  std::uint32_t asked_ = 0;           // requests (kStop, kSave) that any rank made before the last step
  double loss_sum_ = 0, labels_ = 0;  // sum of losses and number of labels in the current epoch
  std::int64_t samples_ = 0;          // number of samples since the epoch began or was resumed
  const bool looks_ = hooks_.look && (hooks_.step || hooks_.stop || hooks_.save);
  bool saved_ = false;  // true after the first save
  Clock::time_point start_;
};

}  // namespace

bool fit(Trainer& trainer, const GraphSet& dev, const FitOptions& options, const FitHooks& hooks) {
  const std::shared_ptr<Job> job = trainer.options().job;
  if (job == nullptr) return Fit(trainer, dev, options, hooks).run();
  bool finished = false;
  job->guard([&] { finished = Fit(trainer, dev, options, hooks).run(); });
  return finished;
}

}  // namespace cavs::inline v0_1
