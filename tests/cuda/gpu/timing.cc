#include "cuda/gpu/timing.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace cavs::cuda {
namespace {

using Json = nlohmann::json;

double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

StepOptions plain_step() {
  StepOptions options;
  options.optimizer = optimizer_defaults("sgd");
  options.all_share = false;  // as in a session
  options.checks_script = false;
  return options;
}

}  // namespace

Timing::Timing(const DeviceRef& device, const LeanKernel& kernel, const TimedModel& timed)
    : device_(device),
      made_(kernel),
      kernel_(device, kernel.cubin, kernel.step),
      timed_(timed),
      parameters_(timed.make().make_parameters()) {}

std::vector<double> Timing::launch(const PackedStep& packed, int launches, std::vector<long long>* clocks) const {
  std::vector<double> milliseconds;
  StepOutcome outcome = made_.step.run(
      packed, *parameters_, plain_step(),
      [&](const LaunchShape& shape, const KernelArguments& arguments, std::span<const LaunchBuffer> all) {
        milliseconds = kernel_.time(shape, arguments, all, launches);
      });
  if (clocks != nullptr) *clocks = std::move(outcome.clocks);
  return milliseconds;
}

Timing::Launches Timing::run(const GraphSet& graphs, int batch_size, int most_steps) const {
  constexpr int kLaunches = 5;
  Launches all;
  for (int begin = 0; begin + batch_size <= graphs.size() && all.steps < most_steps; begin += batch_size) {
    std::vector<std::int32_t> samples(static_cast<std::size_t>(batch_size));
    std::iota(samples.begin(), samples.end(), begin);
    const PackedStep packed = made_.step.pack(graphs, samples, plain_step());
    std::vector<double> times = launch(packed, kLaunches + 1);
    times.erase(times.begin());
    all.measured_us += 1e3 * median(times);
    ++all.steps;
  }
  all.measured_us /= all.steps;
  return all;
}

/// Time of a script with this many entries that only meet or only wait.
double Timing::idle_us(int entries, bool meets) const {
  const GraphSet graphs = timed_.samples(1, 2);
  PackedStep packed = made_.step.pack(graphs, std::vector<std::int32_t>{0}, plain_step());
  std::vector<std::int32_t>& words = packed.words;
  const auto position = [&] { return static_cast<std::int32_t>(words.size()); };
  const std::int32_t waits = position();
  for (int e = 0; e < entries; ++e) {
    words.push_back(-1);
    words.push_back(e - 1);
  }
  words[kEntriesWord] = position();
  for (int e = 0; e < entries; ++e) {
    std::int32_t entry[kEntryWords] = {};
    entry[kOperationWord] = kNothing;
    entry[kShareWord] = meets ? kShareTogether : kShareOutput;
    if (!meets) {
      entry[kFlagsWord] = kSignals;
      entry[kWaitsWord] = waits + 2 * e;
      entry[kWaitCountWord] = e > 0 ? 1 : 0;
    }
    words.insert(words.end(), std::begin(entry), std::end(entry));
  }
  words[kEntryCountWord] = words[kBackwardWord] = words[kUpdateWord] = entries;
  words[kSizeWord] = position();
  return 1e3 * median(launch(packed, 7));
}

Json Timing::barriers() const {
  constexpr int kFew = 10, kMany = 510;
  const auto of_one = [&](bool meets, int a) {
    return (idle_us(kMany, meets) - idle_us(kFew, meets)) / (kMany - kFew) / a;
  };
  return {{"kernel", timed_.name()}, {"meeting_us", of_one(true, 2)}, {"wait_us", of_one(false, 1)}};
}

Json Timing::levels() const {
  const int few = timed_.small ? 2 : 16, many = 3 * few;
  Json all = Json::array();
  for (const int rows : timed_.small ? std::vector{1, 2} : std::vector{1, 16, 64}) {
    const Launches of_few = run(timed_.samples(rows, few), rows, 1), of_many = run(timed_.samples(rows, many), rows, 1);
    all.push_back({{"kernel", timed_.name()},
                   {"rows", rows},
                   {"measured_us", (of_many.measured_us - of_few.measured_us) / (many - few)}});
  }
  return all;
}

Json Timing::steps() const {
  Json all = Json::array();
  const GraphSet graphs = timed_.epoch(timed_.small ? 2 : 128);
  for (const int batch : {1, 16, 64}) {
    if (batch > graphs.size()) continue;
    constexpr int kSteps = 16;
    const Launches steps = run(graphs, batch, kSteps);
    all.push_back({{"kernel", timed_.name()},
                   {"batch", batch},
                   {"steps_measured", steps.steps},
                   {"step_us", steps.measured_us},
                   {"epoch_ms", 1e-3 * steps.measured_us * graphs.size() / batch},
                   {"samples_per_second", 1e6 * batch / steps.measured_us}});
  }
  return all;
}

/// Name of an entry, as in the printed script.
std::string Timing::name_of_entry(const PackedStep& packed, const ScriptEntry& entry) const {
  constexpr std::string_view kOfUpdate[] = {"", "loss", "squares", "scale", "update"};
  if (!entry.is_of_step()) return fmt::format("update, {}", kOfUpdate[static_cast<std::size_t>(entry.work)]);
  const cavs::Step& step = packed.plan.steps[entry.step];
  const TypeProgram& type = made_.step.program().types[step.type];
  return fmt::format("{} {}, {}{}", step.backward ? "∂F" : "F", to_string(step.stage),
                     cavs::name_of(type.at(step.backward, step.stage)[entry.instruction]),
                     entry.share == Share::kOne ? " (one processor)" : "");
}

Json Timing::profile() const {
  struct Sum {
    int entries = 0;
    double ticks[kMoments - 1] = {};
  };
  Json all = Json::array();
  const GraphSet graphs = timed_.epoch(timed_.small ? 2 : 64);
  const int processors = made_.step.placement().target.processors;
  for (const int batch : {1, 16, 64}) {
    if (batch > graphs.size()) continue;
    std::vector<std::int32_t> samples(static_cast<std::size_t>(batch));
    std::iota(samples.begin(), samples.end(), 0);
    const PackedStep packed = made_.step.pack(graphs, samples, plain_step());
    std::vector<long long> clocks;
    const double step_us = 1e3 * launch(packed, 3, &clocks).back();
    std::map<std::string, Sum> sums;
    double ticks = 0;
    for (int p = 0; p < processors; ++p) {
      long long first = 0, last = 0;
      for (std::size_t e = 0; e < packed.script.entries.size(); ++e) {
        const long long* const at = clocks.data() + (e * static_cast<std::size_t>(processors) + p) * kMoments;
        Sum& sum = sums[name_of_entry(packed, packed.script.entries[e])];
        if (p == 0) ++sum.entries;
        if (at[kBegun] == 0) continue;
        for (int m = 0; m + 1 < kMoments; ++m) sum.ticks[m] += static_cast<double>(at[m + 1] - at[m]);
        if (first == 0) first = at[kBegun];
        last = at[kTold];
      }
      ticks += static_cast<double>(last - first);
    }
    const double us = step_us / std::max(ticks, 1.0);  // length of a tick, as the mean over processors
    Json rows = Json::array();
    for (const auto& [name, sum] : sums)
      rows.push_back({{"entry", name},
                      {"entries", sum.entries},
                      {"find_us", us * sum.ticks[kBegun]},
                      {"wait_us", us * sum.ticks[kFound]},
                      {"work_us", us * sum.ticks[kReady]},
                      {"tell_us", us * sum.ticks[kDone]}});
    all.push_back({{"kernel", timed_.name()}, {"batch", batch}, {"step_us", step_us}, {"entries", rows}});
  }
  return all;
}

}  // namespace cavs::cuda
