// Models of the zoo in DyNet 2.1.2 with autobatching, for comparison with `cavs bench MODEL`.
//
//   dynet_models MODEL SAMPLES HIDDEN BATCH train|infer SECONDS [--dynet-autobatch 1|2] [--dynet-mem MB]
//   dynet_models MODEL SAMPLES HIDDEN check [--dynet-autobatch 1|2]
//
// SAMPLES is a file with the output of dump_samples; the embedding size is the hidden size. The program prints one JSON
// object: the speed and the parts of a step; or, with `check`, the losses of the training of dump_samples, from the
// same parameters. Autobatching 1 groups nodes by depth, 2 by agenda. DyNet's products use one thread.
//
// To build it, with DyNet's sources in DYNET and the headers of Eigen 3.4 in EIGEN (-O3 and DyNet's own -Ofast are
// equally fast):
//   cmake -S DYNET -B DYNET/build -DCMAKE_BUILD_TYPE=Release -DRELEASE_OPT_LEVEL=3 -DEIGEN3_INCLUDE_DIR=EIGEN
//   cmake --build DYNET/build
//   cmake --preset release -DCAVS_BUILD_BENCHMARKS=ON -DDYNET_ROOT=DYNET
//   cmake --build --preset release --target cavs_cli dump_samples dynet_models
//
#include <dynet/dynet.h>
#include <dynet/init.h>
#include <dynet/training.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models.h"

namespace {

/// The loss of samples [begin, end) divided by their number. With a trainer, also computes gradients and updates.
double run_step(Net& net, Model& model, const std::vector<Sample>& samples, std::size_t begin, std::size_t end,
                dynet::Trainer* trainer, StepTimes& times) {
  Stopwatch watch;
  dynet::ComputationGraph graph;
  net.begin(graph);
  Expressions losses;
  for (std::size_t s = begin; s < end; ++s) model.add_losses(samples[s], losses);
  const Expression loss = dynet::sum(losses) / static_cast<float>(end - begin);
  times.graph += watch.lap_ms();
  const double value = dynet::as_scalar(graph.forward(loss));
  times.forward += watch.lap_ms();
  if (trainer == nullptr) return value;
  graph.backward(loss);
  times.backward += watch.lap_ms();
  trainer->update();
  times.update += watch.lap_ms();
  return value;
}

/// Trains as dump_samples does: all samples per step, from the same parameters.
void check(const Dump& dump, Net& net, Model& model, dynet::Trainer& trainer) {
  if (dump.losses.empty()) throw std::runtime_error("the file of samples has no parameters and losses to compare with");
  net.set(dump.parameters);
  StepTimes times;
  std::printf("{\"parameters\": %zu, \"losses\": [", net.collection.parameter_count());
  for (std::size_t i = 0; i < dump.losses.size(); ++i)
    std::printf("%s%.9g", i == 0 ? "" : ", ",
                run_step(net, model, dump.samples, 0, dump.samples.size(), &trainer, times));
  std::printf("], \"expected\": [");
  for (std::size_t i = 0; i < dump.losses.size(); ++i) std::printf("%s%.9g", i == 0 ? "" : ", ", dump.losses[i]);
  std::printf("]}\n");
}

void measure(const Dump& dump, Net& net, Model& model, dynet::Trainer* trainer, int batch_size, double seconds) {
  StepTimes times;
  double first_loss = 0;
  long steps = 0;
  const long warm = static_cast<long>((dump.samples.size() + static_cast<std::size_t>(batch_size) - 1) /
                                      static_cast<std::size_t>(batch_size));
  const Speed speed = measure_epochs(
      dump.samples.size(), static_cast<std::size_t>(batch_size), seconds, [&](std::size_t begin, std::size_t end) {
        if (steps == warm) times = {};
        const double loss = run_step(net, model, dump.samples, begin, end, trainer, times);
        if (steps++ == 0) first_loss = loss;
      });
  const auto each = [&](double ms) { return ms / static_cast<double>(speed.steps); };
  std::printf(
      "{\"samples_per_second\": %.6g, \"step_ms\": %.6g, \"graph_ms\": %.6g, \"forward_ms\": %.6g, "
      "\"backward_ms\": %.6g, \"update_ms\": %.6g, \"loss\": %.9g, \"parameters\": %zu, \"samples\": %zu, "
      "\"epochs\": %ld, \"seconds\": %.6g}\n",
      static_cast<double>(speed.samples) / speed.seconds, each(speed.seconds * 1e3), each(times.graph),
      each(times.forward), each(times.backward), each(times.update), first_loss, net.collection.parameter_count(),
      dump.samples.size(), speed.epochs, speed.seconds);
}

/// "forward,backward,parameters,scratch" in megabytes. DyNet's pools do not grow with autobatching, and are touched
/// entirely at the start, so their sizes are what the largest minibatch needs.
std::string memory_for(const std::string& model, const Dump& dump, std::size_t batch_size, std::size_t hidden) {
  std::size_t most = 0;
  for (std::size_t begin = 0; begin < dump.samples.size(); begin += batch_size) {
    std::size_t vertices = 0;
    for (std::size_t s = begin; s < std::min(begin + batch_size, dump.samples.size()); ++s)
      vertices += vertices_of(model, dump.samples[s]);
    most = std::max(most, vertices);
  }
  // Upper bounds in multiples of `hidden` per vertex, and of its square; found by trying the models.
  constexpr std::size_t kStates = 36, kScratch = 12, kWeights = 64;
  const auto megabytes = [](std::size_t numbers) { return std::to_string(64 + numbers * sizeof(float) / 1'000'000); };
  const std::string values = megabytes(most * kStates * (hidden + 32));
  const std::size_t weights = static_cast<std::size_t>(dump.words) * hidden + kWeights * hidden * hidden;
  return values + "," + values + "," + megabytes(2 * weights) + "," + megabytes(most * kScratch * (hidden + 32));
}

int run(int argc, char** argv) {
  const bool memory_given =
      std::any_of(argv, argv + argc, [](const char* word) { return std::strncmp(word, "--dynet-mem", 11) == 0; });
  dynet::DynetParams options = dynet::extract_dynet_params(argc, argv);
  const bool checks = argc == 5 && std::strcmp(argv[4], "check") == 0;
  const std::string mode = checks ? "train" : argc == 7 ? argv[5] : "";
  const int hidden = argc > 3 ? std::atoi(argv[3]) : 0, batch_size = checks ? 1 : argc == 7 ? std::atoi(argv[4]) : 0;
  if ((mode != "train" && mode != "infer") || hidden < 2 || batch_size < 1) {
    std::fprintf(stderr,
                 "usage: %s MODEL SAMPLES HIDDEN BATCH train|infer SECONDS, or MODEL SAMPLES HIDDEN check\n"
                 "HIDDEN is at least 2; also --dynet-autobatch 1|2\n",
                 argv[0]);
    return 2;
  }
  const Dump dump = DumpReader(argv[2]).read();
  if (options.random_seed == 0) options.random_seed = 1;
  if (!memory_given)
    options.mem_descriptor =
        memory_for(argv[1], dump, checks ? dump.samples.size() : static_cast<std::size_t>(batch_size),
                   static_cast<std::size_t>(hidden));
  dynet::initialize(options);
  Net net;
  const std::unique_ptr<Model> model = make_model(
      argv[1], net,
      {static_cast<unsigned>(dump.words), static_cast<unsigned>(hidden), static_cast<unsigned>(dump.classes)});
  dynet::SimpleSGDTrainer trainer(net.collection, checks ? 0.02F : 0.01F);
  trainer.clipping_enabled = false;  // as in cavs, which then needs no norm
  if (checks)
    check(dump, net, *model, trainer);
  else
    measure(dump, net, *model, mode == "train" ? &trainer : nullptr, batch_size, std::atof(argv[6]));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dynet_models: %s\n", e.what());
    return 1;
  }
}
