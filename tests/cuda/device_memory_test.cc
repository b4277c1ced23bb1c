// Every reader gets the newest values, even if only a GPU has them. The stand-in replaces one or several GPUs.

#include <gmock/gmock.h>

#include <cmath>

#include "cavs/error.h"
#include "cavs/evaluator.h"
#include "cavs/trainer.h"
#include "cuda/standin/stand_in.h"
#include "execute/cuda/caller_memory.h"
#include "helpers/evaluate.h"
#include "helpers/listed_rows.h"
#include "helpers/models.h"
#include "helpers/trained.h"
#include "tensor/parameters_access.h"

namespace cavs::cuda {
namespace {

using testing::ThrowsMessage;

const SessionOptions kOnGpu{.device = {DeviceKind::kCuda}};

class DevicesMemory : public StandInTest {};

TrainOptions options_on(const SessionOptions& session) {
  TrainOptions options;
  options.batch_size = 2;
  options.session = session;
  options.optimizer = optimizer_defaults("adam");
  return options;
}

/// Gradients of a backward pass may be read after later passes, or never.
TEST_F(DevicesMemory, KeepGradientsOnTheDeviceUntilTheyAreRead) {
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const Bench bench(zoo.model, zoo.graphs);
  const std::vector<std::int32_t> samples[] = {{0, 1, 2}, {3, 4, 5}};
  Session session(bench.program, bench.parameters, kOnGpu);
  std::vector<Gradients> left(4, Gradients(*bench.parameters));
  for (std::size_t k = 0; k < left.size(); ++k) {
    cavs::Run run = session.forward(*bench.bound, samples[k % 2]);
    run.backward(left[k]);
  }
  for (const std::size_t k : {3U, 0U, 1U})
    expect_same_gradient_bits(left[k], bench.run(samples[k % 2], kOnGpu).gradients, "backward " + std::to_string(k));
}

TEST_F(DevicesMemory, ComputesTheNormOfGradientsOnRequest) {
  const ZooCase zoo = zoo_case("tree-lstm", 4, 0);
  TrainOptions options = options_on(kOnGpu);
  EXPECT_TRUE(std::isnan(Trainer(zoo.model, zoo.graphs, options).step().gradient_norm));
  options.gradient_norm = true;
  EXPECT_GT(Trainer(zoo.model, zoo.graphs, options).step().gradient_norm, 0);
}

TEST_F(DevicesMemory, ReturnsRowsOfTheListedVertices) {
  const ZooCase zoo = zoo_case("tree-lstm", 4, 0);
  const Bench bench(zoo.model, zoo.graphs, {.training = false, .pushes = std::vector<std::string>{"logits"}});
  Session session(bench.program, bench.parameters, kOnGpu);
  const cavs::Run run = session.forward(*bench.bound, all_samples(zoo.graphs));
  expect_rows_of_lists(run, "logits");
  const std::vector<float> expected =
      Session(bench.program, bench.parameters).forward(*bench.bound, all_samples(zoo.graphs)).output("logits");
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(run.output("logits")[i], expected[i], 1e-5) << i;
}

/// A caller's parameters in a GPU's memory, like those of a framework.
class CallersParameters {
 public:
  explicit CallersParameters(Parameters& parameters)
      : device_(Device::open(open_driver())), stream_(device_), memory_(device_) {
    std::int64_t size = 0;
    for (int p = 0; p < parameters.size(); ++p) size += parameters.info(p).shape.size();
    memory_.reserve(size * kFloat);
    for (int p = 0; p < parameters.size(); ++p) {
      write(begin_, parameters.values(p));
      const auto home =
          std::make_shared<CallerMemory>(device_, memory_.at(begin_ * kFloat), parameters.info(p).shape.size());
      detail::ParametersAccess::array(parameters, p).bind(home);
      begins_.push_back(begin_);
      begin_ += parameters.info(p).shape.size();
    }
  }
  void write(std::int64_t begin, std::span<const float> values) const {
    stream_.upload(memory_.at(begin * kFloat), values.data(), std::ssize(values) * kFloat);
    stream_.synchronise();
  }
  std::vector<float> read(int parameter, std::int64_t size) const {
    std::vector<float> values(static_cast<std::size_t>(size));
    stream_.download(values.data(), memory_.at(begins_[parameter] * kFloat), size * kFloat);
    stream_.synchronise();
    return values;
  }
  std::int64_t begin_of(int parameter) const { return begins_[parameter]; }

 private:
  static constexpr std::int64_t kFloat = sizeof(float);
  const DeviceRef device_;
  const Stream stream_;
  DeviceMemory memory_;
  std::int64_t begin_ = 0;
  std::vector<std::int64_t> begins_;
};

/// Trains on the GPU of the memory, on another GPU, and on the CPU.
TEST_F(DevicesMemory, CallersParametersAreUpToDateAfterEachStep) {
  std::optional<Variable> like;
  if (is_standin()) like.emplace("CAVS_STANDIN", "devices=2");
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const cavs::Device cpu{}, gpu{DeviceKind::kCuda}, second{DeviceKind::kCuda, 1};
  for (const cavs::Device device : {gpu, second, cpu}) {
    if (device == second && !is_standin()) continue;  // needs two GPUs
    SCOPED_TRACE(to_string(device));
    Trainer expected(zoo.model, zoo.graphs, options_on({.device = device}));
    Trainer trainer(zoo.model, zoo.graphs, options_on({.device = device}));
    Parameters& parameters = *trainer.shared_parameters();
    const CallersParameters callers(parameters);
    for (int step = 0; step < 3; ++step) {
      expected.step();
      trainer.step();
      for (int p = 0; p < parameters.size(); ++p)
        EXPECT_THAT(callers.read(p, parameters.info(p).shape.size()),
                    testing::ElementsAreArray(expected.shared_parameters()->values(p)))
            << parameters.info(p).name << " after step " << step;
    }
    expect_same_parameters(expected, trainer);
    // The caller writes, and both the engine and the host must read the new values.
    std::vector<float> written(parameters.values(0).begin(), parameters.values(0).end());
    for (float& x : written) x *= 0.5F;
    callers.write(callers.begin_of(0), written);
    detail::ParametersAccess::array(parameters, 0).mark_device_memory_newest();
    parameters.touch(0);
    std::ranges::copy(written, expected.shared_parameters()->values(0).begin());
    expected.shared_parameters()->touch(0);
    EXPECT_EQ(trainer.step().loss, expected.step().loss);
    expect_same_parameters(expected, trainer);
  }
}

/// Several GPUs in one process: each trains separately, and one continues the training of the other.
TEST_F(DevicesMemory, WorkOnSeveralDevices) {
  if (!is_standin()) GTEST_SKIP() << "needs two GPUs";
  const Variable like("CAVS_STANDIN", "devices=2");
  const ZooCase zoo = zoo_case("tree-lstm", 6, 0);
  const SessionOptions second{.device = {DeviceKind::kCuda, 1}};
  Trainer a(zoo.model, zoo.graphs, options_on(kOnGpu)), b(zoo.model, zoo.graphs, options_on(second));
  for (int step = 0; step < 2; ++step) {
    a.step();
    b.step();
  }
  EXPECT_GE(launches(0), 2);
  EXPECT_GE(launches(1), 2);
  expect_same_parameters(a, b);
  const double expected = evaluate(zoo.model, a.shared_parameters(), zoo.graphs, kOnGpu).loss;
  EXPECT_EQ(evaluate(zoo.model, a.shared_parameters(), zoo.graphs, second).loss, expected);
  EXPECT_THAT(
      [&] {
        Trainer(zoo.model, zoo.graphs, options_on({.device = {DeviceKind::kCuda, 2}}));
      },
      ThrowsMessage<UserError>("there is no device cuda:2; CUDA shows 2 GPUs, from cuda:0 on"));
}

}  // namespace
}  // namespace cavs::cuda
