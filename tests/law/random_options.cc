#include "law/random_options.h"

#include <algorithm>

namespace cavs::law {
namespace {

#define LAW_SET(name, ...)                                 \
  {                                                        \
    name, #__VA_ARGS__, [](LawOptions& o) { __VA_ARGS__; } \
  }
#define LAW_DEFAULT(name)        \
  {                              \
    name, "", [](LawOptions&) {} \
  }
#define LAW_PASS(pass)                                                       \
  {                                                                          \
    "pass " pass, 15, {                                                      \
      LAW_DEFAULT("on"), {                                                   \
        "off", "o.compile.disabled_passes.push_back(\"" pass "\")",          \
            [](LawOptions& o) { o.compile.disabled_passes.push_back(pass); } \
      }                                                                      \
    }                                                                        \
  }

using Decay = LearningRateSchedule::Decay;

const std::vector<Dimension>& dimensions() {
  static const std::vector<Dimension> all{
      // CompileOptions
      {"training", 15, {LAW_DEFAULT("on"), LAW_SET("off", o.compile.training = false)}},
      {"dropout", 20, {LAW_DEFAULT("on"), LAW_SET("off", o.compile.dropout = false)}},
      {"pull gradients", 50, {LAW_DEFAULT("no"), LAW_SET("yes", o.compile.pull_gradients = true)}},
      {"push gradients",
       50,
       {LAW_DEFAULT("no"), LAW_SET("accepted", o.compile.push_gradients = true),
        LAW_SET("given", o.compile.push_gradients = o.push_gradients = true),
        LAW_SET("given unasked", o.push_gradients = true)}},
      {"loss", 15, {LAW_DEFAULT("on"), LAW_SET("off", o.compile.loss = false)}},
      {"pushes",
       30,
       {LAW_DEFAULT("all"), LAW_SET("none", o.compile.pushes = std::vector<std::string>{}),
        LAW_SET("out", o.compile.pushes = std::vector<std::string>{"out"})}},
      LAW_PASS("simplify"),
      LAW_PASS("share_lookups"),
      LAW_PASS("compact_absent"),
      LAW_PASS("compact_unlabelled"),
      LAW_PASS("join_products"),
      LAW_PASS("narrow_slices"),
      LAW_PASS("simplify_gradient"),
      LAW_PASS("tile_softmax"),
      LAW_PASS("join_gradient_products"),
      LAW_PASS("recompute"),
      LAW_PASS("eager"),
      LAW_PASS("lazy"),
      LAW_PASS("fuse"),
      LAW_PASS("fuse_rows"),
      LAW_PASS("merge_products"),
      LAW_PASS("task_parallel"),
      LAW_PASS("fuse_update"),
      LAW_PASS("generate_code"),
      // SessionOptions
      {"threads", 50, {LAW_DEFAULT("1"), LAW_SET("2", o.session.threads = 2), LAW_SET("3", o.session.threads = 3)}},
      {"other threads", 50, {LAW_DEFAULT("2"), LAW_SET("1", o.other_threads = 1), LAW_SET("3", o.other_threads = 3)}},
      {"engine", 8, {LAW_DEFAULT("batched"), LAW_SET("reference", o.session.engine = EngineKind::kReference)}},
      {"policy",
       60,
       {LAW_DEFAULT("frontier"), LAW_SET("agenda", o.session.policy = "agenda"),
        LAW_SET("depth", o.session.policy = "depth"), LAW_SET("ratio", o.session.policy = "ratio"),
        LAW_SET("serial", o.session.policy = "serial"), LAW_SET("fsm", o.session.policy = "fsm"),
        LAW_SET("fsm:FILE", o.session.policy = "fsm:FILE")}},
      {"encoding",
       50,
       {LAW_DEFAULT("sort"), LAW_SET("base", o.learn.encoding = StateEncoding::kBase),
        LAW_SET("max", o.learn.encoding = StateEncoding::kMax),
        LAW_SET("phase", o.learn.encoding = StateEncoding::kPhase)}},
      {"precision", 25, {LAW_DEFAULT("fp32"), LAW_SET("bf16", o.session.precision = Precision::kBf16)}},
      {"streaming",
       60,
       {LAW_DEFAULT("auto"), LAW_SET("on", o.session.streaming = Streaming::kOn),
        LAW_SET("off", o.session.streaming = Streaming::kOff)}},
      {"defer from",
       60,
       {LAW_DEFAULT("2^18"), LAW_SET("0", o.session.defer_from = 0), LAW_SET("100", o.session.defer_from = 100)}},
      {"defer", 50, {LAW_DEFAULT("no"), LAW_SET("yes", o.defer = true)}},
      {"memory limit", 20, {LAW_DEFAULT("none"), LAW_SET("exact", o.exact_memory_limit = true)}},
      {"seed", 50, {LAW_DEFAULT("1"), LAW_SET("9", o.session.seed = o.train.seed = 9)}},
      {"profile", 20, {LAW_DEFAULT("off"), LAW_SET("on", o.session.profile = true)}},
      // ForwardOptions, and other choices of the caller
      {"epoch", 50, {LAW_DEFAULT("0"), LAW_SET("3", o.forward.epoch = 3)}},
      {"loss divisor", 30, {LAW_DEFAULT("samples"), LAW_SET("2.5", o.forward.loss_divisor = 2.5)}},
      {"given pulls", 30, {LAW_DEFAULT("none"), LAW_SET("box", o.supplies_box = true)}},
      {"prefetch", 50, {LAW_DEFAULT("no"), LAW_SET("yes", o.prefetch = true)}},
      {"minibatch", 60, {LAW_DEFAULT("all"), LAW_SET("1", o.minibatch = 1), LAW_SET("2", o.minibatch = 2)}},
      {"order",
       60,
       {LAW_DEFAULT("all"), LAW_SET("reversed", o.order = Order::kReversed), LAW_SET("twice", o.order = Order::kTwice),
        LAW_SET("some", o.order = Order::kSome)}},
      // TrainOptions
      {"steps", 75, {LAW_DEFAULT("0"), LAW_SET("3", o.steps = 3), LAW_SET("7", o.steps = 7)}},
      {"stop", 60, {LAW_DEFAULT("1"), LAW_SET("0", o.stop = 0), LAW_SET("2", o.stop = 2), LAW_SET("5", o.stop = 5)}},
      {"batch size",
       70,
       {LAW_DEFAULT("64"), LAW_SET("1", o.train.batch_size = 1), LAW_SET("2", o.train.batch_size = 2),
        LAW_SET("3", o.train.batch_size = 3)}},
      {"shuffle", 30, {LAW_DEFAULT("on"), LAW_SET("off", o.train.shuffle = false)}},
      {"buckets", 30, {LAW_DEFAULT("0"), LAW_SET("2", o.train.buckets = 2)}},
      {"stream", 30, {LAW_DEFAULT("no"), LAW_SET("yes", o.stream = true)}},
      {"shuffle buffer", 50, {LAW_DEFAULT("10000"), LAW_SET("2", o.train.shuffle_buffer = 2)}},
      {"clip norm",
       50,
       {LAW_DEFAULT("0"), LAW_SET("0.05", o.train.clip_norm = 0.05), LAW_SET("1e6", o.train.clip_norm = 1e6)}},
      {"gradient norm", 50, {LAW_DEFAULT("no"), LAW_SET("yes", o.train.gradient_norm = true)}},
      {"accumulate",
       40,
       {LAW_DEFAULT("1"), LAW_SET("2", o.train.accumulate = 2), LAW_SET("3", o.train.accumulate = 3)}},
      {"ema", 30, {LAW_DEFAULT("0"), LAW_SET("0.7", o.train.ema = 0.7)}},
      {"halve", 25, {LAW_DEFAULT("no"), LAW_SET("yes", o.halve = true)}},
      {"start", 30, {LAW_DEFAULT("no"), LAW_SET("yes", o.start = true)}},
      {"checkpoint file", 30, {LAW_DEFAULT("no"), LAW_SET("yes", o.checkpoint_file = true)}},
      // OptimizerOptions
      {"optimizer",
       60,
       {LAW_DEFAULT("sgd"), LAW_SET("adagrad", o.train.optimizer = optimizer_defaults("adagrad")),
        LAW_SET("adam", o.train.optimizer = optimizer_defaults("adam")),
        LAW_SET("adamw", o.train.optimizer = optimizer_defaults("adamw"))}},
      {"lr",
       80,
       {LAW_DEFAULT("default"), LAW_SET("0.01", o.train.optimizer.lr = 0.01),
        LAW_SET("0.003", o.train.optimizer.lr = 0.003), LAW_SET("0", o.train.optimizer.lr = 0)}},
      {"weight decay", 30, {LAW_DEFAULT("default"), LAW_SET("0.1", o.train.optimizer.weight_decay = 0.1)}},
      {"momentum", 25, {LAW_DEFAULT("0"), LAW_SET("0.5", o.train.optimizer.momentum = 0.5)}},
      {"nesterov", 15, {LAW_DEFAULT("no"), LAW_SET("yes", o.train.optimizer.nesterov = true)}},
      {"beta1", 15, {LAW_DEFAULT("0.9"), LAW_SET("0.5", o.train.optimizer.beta1 = 0.5)}},
      {"beta2", 15, {LAW_DEFAULT("0.999"), LAW_SET("0.6", o.train.optimizer.beta2 = 0.6)}},
      {"eps", 40, {LAW_DEFAULT("default"), LAW_SET("0.01", o.train.optimizer.eps = 0.01)}},
      {"lr decay", 15, {LAW_DEFAULT("0"), LAW_SET("0.1", o.train.optimizer.lr_decay = 0.1)}},
      {"initial accumulator", 15, {LAW_DEFAULT("0"), LAW_SET("0.1", o.train.optimizer.initial_accumulator = 0.1)}},
      {"sparse updates", 40, {LAW_DEFAULT("no"), LAW_SET("yes", o.train.optimizer.sparse_updates = true)}},
      {"groups",
       50,
       {LAW_DEFAULT("none"), LAW_SET("frozen", o.train.optimizer.groups = {ParameterGroup::frozen("W*")}),
        LAW_SET("frozen table", o.train.optimizer.groups = {ParameterGroup::frozen("E")}),
        LAW_SET("rates",
                o.train.optimizer.groups = {ParameterGroup::times("b*", 0.5), ParameterGroup::fixed("W0", 0.01)}),
        LAW_SET("zero", o.train.optimizer.groups = {ParameterGroup::times("W*", 0)})}},
      // LearningRateSchedule
      {"decay",
       40,
       {LAW_DEFAULT("constant"), LAW_SET("linear", o.train.optimizer.schedule.decay = Decay::kLinear),
        LAW_SET("cosine", o.train.optimizer.schedule.decay = Decay::kCosine),
        LAW_SET("exponential", o.train.optimizer.schedule.decay = Decay::kExponential),
        LAW_SET("step", o.train.optimizer.schedule.decay = Decay::kStep),
        LAW_SET("plateau", o.train.optimizer.schedule.decay = Decay::kPlateau)}},
      {"decay steps", 50, {LAW_DEFAULT("0"), LAW_SET("4", o.train.optimizer.schedule.decay_steps = 4)}},
      {"decay rate", 30, {LAW_DEFAULT("0.1"), LAW_SET("0.5", o.train.optimizer.schedule.rate = 0.5)}},
      {"floor", 30, {LAW_DEFAULT("0"), LAW_SET("0.2", o.train.optimizer.schedule.floor = 0.2)}},
      {"patience", 20, {LAW_DEFAULT("3"), LAW_SET("1", o.train.optimizer.schedule.patience = 1)}},
      {"warmup", 30, {LAW_DEFAULT("0"), LAW_SET("2", o.train.optimizer.schedule.warmup_steps = 2)}},
      {"ranks", 60, {LAW_DEFAULT("1"), LAW_SET("2", o.ranks = 2), LAW_SET("3", o.ranks = 3)}},
  };
  return all;
}

}  // namespace

std::span<const Dimension> all_dimensions() { return dimensions(); }

OptionVector draw_options(Numbers& numbers) {
  OptionVector vector;
  // Usually a few passes are off, sometimes half of them, sometimes none.
  const int of_passes = numbers.below(3) == 0 ? 0 : numbers.below(3) == 0 ? 50 : 12;
  for (const Dimension& dimension : all_dimensions()) {
    const int percent = dimension.name.starts_with("pass ") ? of_passes : dimension.percent;
    const int others = static_cast<int>(dimension.choices.size()) - 1;
    vector.push_back(numbers.below(100) < percent ? 1 + numbers.below(others) : 0);
  }
  return vector;
}

LawOptions to_options(const OptionVector& vector) {
  LawOptions options;
  for (std::size_t i = 0; i < vector.size(); ++i) all_dimensions()[i].choices[vector[i]].apply(options);
  return options;
}

std::vector<std::string_view> statements(const OptionVector& vector) {
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < vector.size(); ++i)
    if (vector[i] != 0) texts.push_back(all_dimensions()[i].choices[vector[i]].text);
  return texts;
}

}  // namespace cavs::law
