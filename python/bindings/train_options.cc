#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "keywords.h"
#include "training.h"

namespace cavs::python {
namespace {

/// Reads the keywords `optimizer` and `lr`.
OptimizerOptions optimizer_from(Keywords& keywords) {
  std::variant<OptimizerOptions, std::string> optimizer = "adam";
  std::optional<double> lr;
  keywords.take("optimizer", "the name of an optimizer, or OptimizerOptions of cavs.optimizer", optimizer);
  keywords.take("lr", "a number", lr);
  const auto* kind = std::get_if<std::string>(&optimizer);
  OptimizerOptions options = kind != nullptr ? optimizer_defaults(*kind) : std::get<OptimizerOptions>(optimizer);
  if (lr) options.lr = *lr;
  return options;
}

SessionOptions session_options(Keywords& keywords) {
  SessionOptions options;
  std::optional<std::string> engine;
  std::string device = "cpu", precision = "fp32";
  keywords.take("threads", "an integer", options.threads);
  keywords.take("engine", "the name of an engine, or None", engine);
  keywords.take("device", "'cpu', 'cuda', or a device number as in 'cuda:1'", device);
  keywords.take("policy", "the name of a policy", options.policy);
  keywords.take("precision", "'fp32', 'bf16' or 'tf32'", precision);
  options.device = device_named(device);
  options.engine = engine_named(engine);
  options.precision = option_named<Precision>(precision);
  return options;
}

}  // namespace

std::optional<EngineKind> engine_named(const std::optional<std::string>& name) {
  return name ? std::optional(option_named<EngineKind>(*name)) : std::nullopt;
}

TrainOptions train_options(nb::kwargs given) {
  Keywords keywords("Trainer", std::move(given));
  TrainOptions options;
  options.optimizer = optimizer_from(keywords);
  keywords.take("batch_size", "an integer", options.batch_size);
  keywords.take("shuffle", "True or False", options.shuffle);
  keywords.take("buckets", "an integer", options.buckets);
  keywords.take("shuffle_buffer", "an integer", options.shuffle_buffer);
  keywords.take("accumulate", "an integer", options.accumulate);
  keywords.take("clip_norm", "a number", options.clip_norm);
  keywords.take("gradient_norm", "True or False", options.gradient_norm);
  keywords.take("ema", "a number", options.ema);
  keywords.take("seed", "an integer from 0", options.seed);
  options.session = session_options(keywords);
  keywords.take("disabled_passes", "a list of names", options.disabled_passes);
  options.job = job_from(keywords);
  keywords.expect_no_others();
  return options;
}

}  // namespace cavs::python
