#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "cli/bench.h"
#include "cli/commands.h"
#include "cli/option_group.h"
#include "cli/output_files.h"
#include "cli/policy_option.h"
#include "cli/preset.h"
#include "cli/usage_error.h"
#include "cli/validators.h"
#include "measure/rounds.h"

namespace cavs::cli {
namespace {

constexpr const char* kBenchFooter =
    "Samples are used in file order, in whole epochs, after one warm-up epoch that is not counted. --limit\n"
    "does not shrink the vocabulary. The parts of a step are measured in a separate epoch, because measuring\n"
    "them costs time. Flops, bytes and counts are averages per step.\n"
    "\n"
    "--ablate, --roofline and --breakdown measure their variants in turn, round after round in one process,\n"
    "so that other work on the machine slows all variants alike. The best round of each minibatch counts;\n"
    "with one thread, its processor time is measured. --epochs is the number of rounds (default: at least\n"
    "3, about 2 seconds for each variant). Large data sets take long: use --limit.\n"
    "\n"
    "--breakdown measures trees of 32 to 1024 leaves if the data are binary-trees (leaves=N is replaced).\n"
    "With other data it measures batch sizes 1 to 256, and compares each with the policy 'serial'. Both modes\n"
    "are measured unless --mode is given.\n"
    "\n"
    "Examples:\n"
    "  $ cavs bench tree-fc --mode infer\n"
    "  $ cavs bench tree-lstm-binary --data sst:data/sst --limit 512 --mode train --hidden 256 --embedding 256 --json\n"
    "  $ cavs bench tree-lstm --data sst:data/sst --limit 256 --ablate --sizes 64,256 --svg ablation.svg\n"
    "  $ cavs bench tree-lstm-binary --data sst:data/sst --limit 512 --hidden 256 --threads 1 --roofline\n"
    "  $ cavs bench tree-fc --hidden 512 --breakdown --svg leaves.svg";

double vertices_per_step(const BenchmarkResult& r) {
  return static_cast<double>(r.vertices) / static_cast<double>(r.steps);
}

void print_table(const BenchmarkResult& r, bool on_gpu) {
  const auto line = [](const char* name, const std::string& value) { fmt::print("{:<20}{:>14}\n", name, value); };
  const auto part = [&](const char* name, double ms) {
    fmt::print("  {:<18}{:>14.4f}{:>8.1f} %\n", name, ms, 100 * ms / r.step_ms);
  };
  line("samples/s", fmt::format("{:.0f}", r.samples_per_second));
  line("vertices/s", fmt::format("{:.0f}", r.vertices_per_second));
  line("ms/step", fmt::format("{:.4f}", r.step_ms));
  part("pack", r.pack_ms);
  part("schedule", r.schedule_ms);
  part("plan", r.plan_ms);
  if (on_gpu) part("script", r.script_ms);
  part("memory", r.memory_ms);
  part("compute", r.compute_ms);
  part("update", r.update_ms);
  line("vertices", fmt::format("{:.1f}", vertices_per_step(r)));
  line("tasks", fmt::format("{:.1f}", r.tasks));
  line("streamed rows", fmt::format("{:.1f}", r.streamed_rows));
  line("instructions", fmt::format("{:.1f}", r.instructions));
  if (on_gpu) {
    line("the host", "");
    part("prepares late", r.unprepared_ms);
    part("launches", r.launch_ms);
    part("waits", r.wait_ms);
    line("the GPU", "");
    part("computes", r.gpu_ms);
    part("idle", r.gpu_idle_ms);
    line("launches", fmt::format("{:.1f}", r.launches));
    line("graph launches", fmt::format("{:.1f}", r.graph_launches));
    line("graph nodes", fmt::format("{:.1f}", r.graph_nodes));
    line("launches/task", fmt::format("{:.1f}", launches_per_task(r)));
  }
  line("MB moved", fmt::format("{:.3f}", r.bytes_moved / 1e6));
  line("Mflop", fmt::format("{:.3f}", r.flops / 1e6));
  line("Gflop/s", fmt::format("{:.1f}", r.flops / r.step_ms / 1e6));
  line("loss of first step", fmt::format("{:.6f}", r.loss));
}

void run_benchmark(const BenchArguments& arguments) {
  const Dataset data = load_training_data(arguments);
  const Model model = find_model(arguments.model).make(model_config(arguments, data));
  spdlog::info("{}: {}", data_spec(arguments), describe(data.train));
  const BenchmarkResult r = benchmark(model, data.train, benchmark_options(arguments, data));
  if (!arguments.json) return print_table(r, is_gpu(arguments));
  Json json = bench_header(arguments);
  json.update(Json{{"hidden", arguments.hidden},
                   {"embedding", arguments.embedding},
                   {"samples_per_second", r.samples_per_second},
                   {"vertices_per_second", r.vertices_per_second},
                   {"step_ms", r.step_ms},
                   {"pack_ms", r.pack_ms},
                   {"schedule_ms", r.schedule_ms},
                   {"plan_ms", r.plan_ms},
                   {"script_ms", r.script_ms},
                   {"memory_ms", r.memory_ms},
                   {"compute_ms", r.compute_ms},
                   {"update_ms", r.update_ms},
                   {"step_vertices", vertices_per_step(r)},
                   {"tasks", r.tasks},
                   {"fallbacks", r.fallbacks},
                   {"instructions", r.instructions},
                   {"streamed_rows", r.streamed_rows},
                   {"unprepared_ms", r.unprepared_ms},
                   {"launch_ms", r.launch_ms},
                   {"wait_ms", r.wait_ms},
                   {"gpu_ms", r.gpu_ms},
                   {"gpu_idle_ms", r.gpu_idle_ms},
                   {"launches", r.launches},
                   {"graph_launches", r.graph_launches},
                   {"graph_nodes", r.graph_nodes},
                   {"launches_per_task", launches_per_task(r)},
                   {"bytes_moved", r.bytes_moved},
                   {"flops", r.flops},
                   {"weight_bytes", r.weight_bytes},
                   {"weight_bytes_once", r.weight_bytes_once},
                   {"loss", r.loss},
                   {"samples", r.samples},
                   {"vertices", r.vertices},
                   {"steps", r.steps},
                   {"epochs", r.epochs},
                   {"seconds", r.seconds}});
  print_json(json);
}

/// @throws UsageError if options contradict each other.
void check(const BenchArguments& arguments) {
  const auto wrong_if = [](bool wrong, const char* message) {
    if (wrong) throw UsageError("bench", message);
  };
  const int measurements = int{arguments.ablate} + int{arguments.roofline} + int{arguments.breakdown} +
                           int{arguments.weight_traffic} + int{!arguments.batch_sizes.empty()} +
                           int{!arguments.policies.empty()};
  wrong_if(measurements > 1,
           "--ablate, --roofline, --breakdown, --weight-traffic, --batch-sizes and --policies are different "
           "measurements; give only one of them");
  wrong_if(arguments.given("--batch-size") && !arguments.batch_sizes.empty(),
           "--batch-sizes replaces --batch-size; leave --batch-size out");
  wrong_if(arguments.given("--policy") && !arguments.policies.empty(),
           "--policies replaces --policy; leave --policy out");
  wrong_if(arguments.given("--embedding") && !arguments.preset.empty(),
           "with --preset the embedding size equals the hidden size; use --hidden");
  wrong_if(arguments.given("--sizes") && !arguments.ablate, "--sizes needs --ablate; add it, or use --hidden");
  wrong_if(arguments.given("--hidden") && arguments.ablate,
           "--ablate measures the hidden sizes of --sizes; use --sizes instead of --hidden");
  wrong_if(arguments.share_ids && arguments.preset.empty(),
           "--share-ids needs --preset, which shares no lookups by default; add --preset, or leave --share-ids out");
  wrong_if(arguments.given("--svg") && !arguments.ablate && !arguments.breakdown,
           "--svg draws the result of --ablate or --breakdown; add one of them");
  wrong_if(arguments.weight_traffic && arguments.given("--batch-size"),
           "--weight-traffic measures batch sizes 1 to 128; leave --batch-size out");
  wrong_if(arguments.weight_traffic && arguments.given("--epochs"),
           "--weight-traffic counts one epoch at each batch size; leave --epochs out");
  wrong_if(measurements > 0 && is_gpu(arguments) && !arguments.roofline,
           "--ablate, --breakdown, --weight-traffic, --batch-sizes and --policies measure the CPU; leave "
           "--device out");
  wrong_if(measurements > 0 && engine_of(arguments) != "batched",
           "--ablate, --roofline, --breakdown, --weight-traffic, --batch-sizes and --policies measure the engine "
           "'batched'; leave --engine out");
}

/// Sets options that are not given to those of --preset: inference on one thread, with the learned policy, on 256
/// samples, at several batch sizes.
void apply_preset(BenchArguments& arguments) {
  find_preset(arguments.model);
  if (!arguments.given("--mode")) arguments.mode = "infer";
  if (!arguments.given("--threads")) arguments.threads = 1;
  if (!arguments.given("--policy")) arguments.policy = "fsm";
  if (!arguments.given("--limit")) arguments.limit = 256;
  if (!arguments.share_ids) arguments.disabled.emplace_back("share_lookups");
  const bool other = arguments.ablate || arguments.roofline || arguments.breakdown || arguments.weight_traffic ||
                     !arguments.policies.empty();
  if (!other && !arguments.given("--batch-size") && arguments.batch_sizes.empty())
    for (int size = 1; size <= 256; size *= 2) arguments.batch_sizes.push_back(size);
}

void run(BenchArguments arguments) {
  if (!arguments.preset.empty()) apply_preset(arguments);
  check(arguments);
  OutputFiles files(arguments);
  files.writes("--svg", arguments.svg);
  files.claim();
  if (!arguments.batch_sizes.empty()) return run_batch_sizes(arguments);
  if (!arguments.policies.empty()) return run_policies(arguments);
  if (arguments.ablate) return run_ablation(arguments);
  if (arguments.roofline) return run_roofline(arguments);
  if (arguments.breakdown) return run_breakdown(arguments);
  if (arguments.weight_traffic) return run_weight_traffic(arguments);
  run_benchmark(arguments);
}

void add_measurement(CLI::App& app, BenchArguments& arguments) {
  const OptionGroup measurement(app, "Measurement");
  measurement.add_with_default("--mode", arguments.mode, "NAME", one_of("mode", {"train", "infer"}),
                               "train, or infer (the forward pass with the loss)");
  measurement.add("--epochs", arguments.epochs, "N", integer(1),
                  "Number of measured epochs (default: enough for 2 seconds)");
  measurement.add_flag(
      "--ablate", arguments.ablate,
      "Measure the effect of each optimisation: with none, with each alone, and with all, for several hidden sizes");
  measurement.add_flag("--roofline", arguments.roofline,
                       "Compare a step with its matrix products alone, and with the peak of the processor; on a GPU, "
                       "print flops, bytes and time of each kernel, as shares of the peaks");
  measurement.add_flag("--breakdown", arguments.breakdown,
                       "Measure graph construction, memory operations, computation and update, for increasing sizes of "
                       "trees or batches");
  measurement.add_flag("--weight-traffic", arguments.weight_traffic,
                       "Count the bytes of weights that matrix products load from memory at batch sizes 1 to 128, "
                       "and those that processors with weights on chip (VPPS) would load");
  measurement
      .add_list("--sizes", arguments.sizes, "N,N,...", integer(1, 65'536),
                "Hidden sizes that --ablate measures; embeddings are as wide, unless --embedding is given")
      ->delimiter(',')
      ->default_str("64,128,256,512,1024");
  measurement
      .add_list("--batch-sizes", arguments.batch_sizes, "N,N,...", integer(1, 1'000'000),
                "Measure these batch sizes, and print the best; with --preset the default is 1 to 256, unless "
                "--batch-size is given")
      ->delimiter(',');
  measurement
      .add_list("--policies", arguments.policies, "NAME,NAME,...", policy_name(),
                "Compare the speed and tasks of these batching policies with those of the first")
      ->delimiter(',');
  OptionGroup(app, "Output")
      .add("--svg", arguments.svg, "FILE", file_name(), "Draw the result of --ablate or --breakdown");
  add_overwrite(app, arguments);
}

}  // namespace

BenchmarkOptions benchmark_options(const BenchArguments& arguments, const Dataset& data,
                                   std::shared_ptr<const LearnedPolicy> learned) {
  const std::int64_t steps = (data.train.size() + arguments.batch_size - 1) / arguments.batch_size;
  if (learned == nullptr)
    learned = learned_policy(arguments, find_model(arguments.model).make(model_config(arguments, data)), &data.train);
  return {.training = arguments.mode == "train",
          .epochs = arguments.epochs,
          .train = train_options(arguments, steps, steps, std::move(learned))};
}

std::string_view clock_name(const BenchArguments& arguments) {
  const bool in_turn = arguments.ablate || arguments.roofline || arguments.breakdown ||
                       !arguments.batch_sizes.empty() || !arguments.policies.empty();
  return in_turn && !is_gpu(arguments) ? WorkClock(arguments.threads).name() : WorkClock::wall().name();
}

Json bench_header(const BenchArguments& arguments) {
  Json json{{"model", arguments.model},
            {"data", data_spec(arguments)},
            {"mode", arguments.mode},
            {"batch_size", arguments.batch_size},
            {"threads", arguments.threads},
            {"engine", engine_of(arguments)},
            {"device", arguments.device},
            {"policy", arguments.policy},
            {"precision", runnable_precision(arguments)},
            {"streaming", arguments.streaming},
            {"clock", clock_name(arguments)}};
  if (!arguments.preset.empty()) {
    json["preset"] = arguments.preset;
    json["share_ids"] = arguments.share_ids;
  }
  return json;
}

Action declare_bench(CLI::App& app) {
  auto arguments = std::make_shared<BenchArguments>();
  arguments->app = &app;
  add_model(app, *arguments);
  add_measurement(app, *arguments);
  add_data(app, *arguments, true);
  add_sizes(app, *arguments);
  add_preset(app, *arguments);
  add_optimizer(app, *arguments, "sgd");
  add_batch_size(app, *arguments);
  add_seed(app, *arguments, "Seed of initial values, dropout and generated data (default: 1)");
  add_session(app, *arguments);
  add_passes(app, *arguments);
  add_json(app, *arguments);
  app.footer(kBenchFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
