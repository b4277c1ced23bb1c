// Passes in a framework's memory, on the stand-in. No work runs before the framework waits.

#include "cavs/device_passes.h"

#include <gmock/gmock.h>

#include <functional>

#include "backend/cuda/device.h"
#include "cavs/error.h"
#include "cuda/engine_case.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"

namespace cavs::cuda {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t kFloat = sizeof(float);

/// Owns streams and memory like a framework, and waits when it reads numbers.
class Framework {
 public:
  std::vector<float> read(const DeviceMemory& memory, std::size_t size) const {
    std::vector<float> values(size);
    stream.download(values.data(), memory.at(), static_cast<std::int64_t>(size) * kFloat);
    stream.synchronise();
    return values;
  }
  const DeviceMemory& add(std::int64_t bytes) {
    DeviceMemory& memory = *memories_.emplace_back(std::make_unique<DeviceMemory>(device));
    memory.reserve(bytes);
    return memory;
  }
  const DeviceMemory& add(std::span<const float> values) {
    const DeviceMemory& memory = add(std::ssize(values) * kFloat);
    stream.upload(memory.at(), values.data(), std::ssize(values) * kFloat);
    return memory;
  }

  const DeviceRef device = Device::open(open_driver());
  const Stream stream{device}, second{device};

 private:
  std::vector<std::unique_ptr<DeviceMemory>> memories_;
};

/// A model whose caller reads the logits and supplies their gradients.
class DevicesPasses : public CudaBatched {
 protected:
  DevicesPasses()
      : zoo_(zoo_case("tree-lstm", 6, 0.3)),
        bench_(zoo_.model, zoo_.graphs,
               {.push_gradients = true, .loss = false, .pushes = std::vector<std::string>{"logits"}}),
        passes_(bench_.program, {.inputs = {}, .outputs = {"logits"}}, gpu_session) {
    for (int p = 0; p < bench_.parameters->size(); ++p)
      weights_.push_back(framework_.add(std::as_const(*bench_.parameters).values(p)).at());
  }

  struct Found {
    std::vector<float> logits, gradients;
  };
  struct Open {
    DevicePlan plan;
    DevicePasses::Memory memory;
    const DeviceMemory& logits;
    const DeviceMemory& gradients;
  };

  static std::vector<float> pushed(std::size_t size) {
    std::vector<float> given(size);
    for (std::size_t i = 0; i < size; ++i) given[i] = static_cast<float>(i % 7) - 3;
    return given;
  }

  Open begin(std::vector<std::int32_t> samples, const Stream& stream) {
    DevicePlan plan = passes_.plan(*bench_.bound, samples);
    constexpr DevicePointer kLine = 64;
    const DevicePointer values = (framework_.add(plan.bytes() + kLine).at() + kLine - 1) / kLine * kLine;
    const DevicePasses::Memory memory{stream.handle(), values, weights_};
    Open open{std::move(plan), memory, framework_.add(size_of(samples) * kFloat),
              framework_.add(DevicePasses::gradient_offsets(*bench_.program).back() * kFloat)};
    passes_.forward(open.plan, open.memory, {}, std::vector<DeviceAddress>{open.logits.at()}, kEpoch);
    return open;
  }
  void go_back(const Open& open, const DeviceMemory& given) {
    passes_.backward(open.plan, open.memory, std::vector<DeviceAddress>{given.at()}, open.gradients.at(), {});
  }

  std::int64_t size_of(std::span<const std::int32_t> samples) const {
    std::int64_t vertices = 0;
    for (const std::int32_t s : samples) vertices += zoo_.graphs.vertex_begin()[s + 1] - zoo_.graphs.vertex_begin()[s];
    return vertices * function_ports(*bench_.program).front().pushes.front().width;
  }

  void expect_numbers_of_the_engine(const std::vector<std::int32_t>& samples, const Open& open) {
    Session session(bench_.program, bench_.parameters, gpu_session);
    cavs::Run run = session.forward(*bench_.bound, samples, kEpoch);
    expect_same_bits(framework_.read(open.logits, run.output("logits").size()), run.output("logits"), "logits");
    Gradients expected(*bench_.parameters);
    const std::vector<float> given = pushed(run.output("logits").size());
    run.backward(expected, std::vector<cavs::Run::PushGradient>{{"logits", given}});
    const std::vector<std::int64_t> offsets = DevicePasses::gradient_offsets(*bench_.program);
    const std::vector<float> all = framework_.read(open.gradients, static_cast<std::size_t>(offsets.back()));
    for (int p = 0; p < bench_.parameters->size(); ++p)
      expect_same_bits(std::span(all).subspan(static_cast<std::size_t>(offsets[p]), expected.values(p).size()),
                       expected.values(p), bench_.parameters->info(p).name);
  }

  static constexpr std::uint32_t kEpoch = 3;
  const ZooCase zoo_;
  const Bench bench_;
  Framework framework_;
  DevicePasses passes_;
  std::vector<DeviceAddress> weights_;
};

TEST_F(DevicesPasses, HaveTheBitsOfTheEngineAndDoNotWait) {
  const std::vector<std::int32_t> samples{3, 0, 5};
  const DeviceMemory& given = framework_.add(pushed(static_cast<std::size_t>(size_of(samples))));
  const long long waits = this->waits();
  const Open open = begin(samples, framework_.stream);
  go_back(open, given);
  if (is_standin()) {
    EXPECT_EQ(this->waits(), waits);
  }
  expect_numbers_of_the_engine(samples, open);
}

TEST_F(DevicesPasses, MayBeOpenAtTheSameTimeOnSeveralStreams) {
  const std::vector<std::int32_t> samples[] = {{0, 1}, {2, 3, 4}};
  const DeviceMemory& given =
      framework_.add(pushed(static_cast<std::size_t>(size_of(all_samples(zoo_.graphs)))));  // enough for both
  framework_.stream.synchronise();
  const Open first = begin(samples[0], framework_.stream), second = begin(samples[1], framework_.second);
  const Event done(framework_.device);
  go_back(first, given);
  go_back(second, given);
  framework_.second.record(done);
  framework_.stream.wait_for(done);
  expect_numbers_of_the_engine(samples[1], second);
  expect_numbers_of_the_engine(samples[0], first);
}

TEST_F(DevicesPasses, RefusePlansOfOtherSessions) {
  DevicePasses other(bench_.program, {.inputs = {}, .outputs = {"logits"}}, gpu_session);
  const Open open = begin({0}, framework_.stream);
  EXPECT_THAT([&] { other.forward(open.plan, open.memory, {}, std::vector<DeviceAddress>{open.logits.at()}); },
              ThrowsMessage<UserError>(HasSubstr("the plan was made by another object")));
  EXPECT_THAT([&] { passes_.forward(open.plan, open.memory, {}, {}); },
              ThrowsMessage<UserError>(HasSubstr("0 outputs; expected")));
}

}  // namespace
}  // namespace cavs::cuda
