#include "cavs/optimizer.h"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

using Rates = std::map<std::string, double>;

OptimizerOptions make(const std::string& kind, std::optional<double> lr, const nb::kwargs& options) {
  OptimizerOptions made = optimizer_defaults(kind);
  if (lr) made.lr = *lr;
  for (const auto& option : options) {
    const auto name = nb::cast<std::string>(option.first);
    const nb::handle value = option.second;
    const auto is = [&](const char* known, auto& field) {
      if (name == known) field = nb::cast<std::remove_reference_t<decltype(field)>>(value);
      return name == known;
    };
    LearningRateSchedule& schedule = made.schedule;
    try {
      const bool known =
          is("weight_decay", made.weight_decay) || is("momentum", made.momentum) || is("nesterov", made.nesterov) ||
          is("beta1", made.beta1) || is("beta2", made.beta2) || is("eps", made.eps) || is("lr_decay", made.lr_decay) ||
          is("initial_accumulator", made.initial_accumulator) || is("sparse_updates", made.sparse_updates) ||
          is("warmup_steps", schedule.warmup_steps) || is("decay_steps", schedule.decay_steps) ||
          is("rate", schedule.rate) || is("patience", schedule.patience) || is("floor", schedule.floor);
      if (name == "decay")
        schedule.decay = find_decay(nb::cast<std::string>(value));
      else if (name == "rates")
        for (const auto& [pattern, rate] : nb::cast<Rates>(value))
          made.groups.push_back(ParameterGroup::fixed(pattern, rate));
      else if (name == "rate_factors")
        for (const auto& [pattern, factor] : nb::cast<Rates>(value))
          made.groups.push_back(ParameterGroup::times(pattern, factor));
      else if (name == "frozen")
        for (const auto& pattern : nb::cast<std::vector<std::string>>(value))
          made.groups.push_back(ParameterGroup::frozen(pattern));
      else if (!known)
        throw nb::type_error(
            fmt::format("an optimizer has no option '{}'; help(cavs.optimizer) lists the options", name).c_str());
    } catch (const nb::cast_error&) {
      throw nb::type_error(fmt::format("option '{}' of an optimizer is of type {}, which does not fit", name,
                                       nb::type_name(value.type()).c_str())
                               .c_str());
    }
  }
  check_options(made);
  return made;
}

}  // namespace

void bind_optimizer(nb::module_& m) {
  nb::class_<OptimizerOptions>(m, "OptimizerOptions",
                               "Options of an optimizer. Names and defaults are those of PyTorch.")
      .def_ro("kind", &OptimizerOptions::kind, "The name of the optimizer: sgd, adagrad, adam or adamw.")
      .def_ro("lr", &OptimizerOptions::lr, "The learning rate, before its schedule.")
      .def("__repr__",
           [](const OptimizerOptions& o) { return fmt::format("<cavs.optimizer '{}', lr {}>", o.kind, o.lr); });
  m.def("optimizer", &make, "kind"_a, "lr"_a = nb::none(), "options"_a,
        nb::sig("def optimizer(kind: str, lr: float | None = None, **options: Any) -> OptimizerOptions"),
        "Makes the options of an optimizer: \"sgd\", \"adagrad\", \"adam\" or \"adamw\".\n\n"
        "Options of the update: weight_decay, momentum and nesterov (sgd), beta1, beta2, eps, lr_decay, "
        "initial_accumulator, sparse_updates.\n"
        "Options of the learning rate's schedule: decay (constant, linear, cosine, exponential, step, plateau), "
        "warmup_steps, decay_steps, rate, patience, floor.\n"
        "Options of parameters, by patterns of their names: rates ({\"embedding\": 0.001}), rate_factors ({\"*_b\": "
        "0.5}, factors of lr) and frozen ([\"U*\"], parameters that keep their values). If several patterns match, the "
        "later keyword counts.");
}

}  // namespace cavs::python
