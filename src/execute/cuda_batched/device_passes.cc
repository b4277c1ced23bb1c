#include "cavs/device_passes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>

#include "backend/cuda/entries/packed_script.h"
#include "execute/cuda/device_engine.h"
#include "execute/cuda_batched/caller_plan.h"
#include "execute/cuda_batched/staging.h"
#include "execute/run_state.h"
#include "schedule/resolve_policy.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

using cuda::DevicePointer;
using Content = DevicePlan::Content;

struct DevicePasses::Impl {
  Impl(std::shared_ptr<const Program> of, Ports named, const SessionOptions& o)
      : given(std::move(of)),
        program(compile(*given, cuda::batched_target())),
        ports(std::move(named)),
        numbers{ports.inputs.size(), ports.outputs.size()},
        options(o),
        offsets(cuda::parameter_offsets(*program)),
        device(cuda::open_device(options.device.index, "batched", false)),
        loaded(device, *program, cuda::batched_options(device->properties(), options.precision, true)),
        planner(*program, ports, loaded, options),
        preparation(*program, resolve_policy(options.policy, options.learned.get(), *program)),
        staging(device),
        last(device) {}

  /// Waits for passes that still use the kernels.
  ~Impl() {
    try {
      last.synchronise();
    } catch (const std::exception&) {  // the GPU has failed, which another call has already reported
    }
  }

  void check(const Content& plan, const Memory& memory, std::span<const DeviceAddress> inputs,
             std::span<const DeviceAddress> outputs) const;
  /// Makes the stream wait for the last pass. Passes run one after the other, because all use the Launcher's Pass.
  void begin(const cuda::Stream& stream) const {
    if (last_stream && *last_stream != stream.handle()) stream.wait_for(last);
  }
  void end(const cuda::Stream& stream) {
    stream.record(last);
    last_stream = stream.handle();
  }
  void launch(const cuda::Stream& stream, std::span<const cuda::LaunchItem> items) {
    loaded.launch(stream, items, nullptr, counts);
  }
  void copy(const cuda::Stream& stream, Content::Copies copies) {
    const cuda::LaunchItem item{
        .kernel = cuda::kCopyRowsOfCaller, .entry = copies.begin, .tile = copies.end - copies.begin};
    if (item.tile > 0) launch(stream, std::span(&item, 1));
  }

  const std::shared_ptr<const Program> given;    // the program to which graphs are bound
  const std::shared_ptr<const Program> program;  // the program that the kernels run, made from `given`
  const Ports ports;
  const cuda::CallerNumbers numbers;
  const SessionOptions options;
  const std::vector<std::int64_t> offsets;  // offset in floats of each parameter's gradient
  const cuda::DeviceRef device;
  cuda::LoadedProgram loaded;
  std::mutex planning;  // guards planner, preparation and state
  cuda::CallerPlanner planner;
  Preparation preparation;
  Run::State state;
  std::mutex launching;  // guards `loaded` and the members below
  cuda::Staging staging;
  cuda::Event last;  // end of the last pass
  std::optional<cuda::StreamHandle> last_stream;
  cuda::LaunchCounts counts;
};

namespace {

/// The bytes that the host sends to a pass's memory, together with the Pass that its launches share.
class Parcel {
 public:
  Parcel(cuda::Staging& staging, std::int64_t bytes)
      : bytes_((bytes + 15) / 16 * 16), piece_(staging.take(bytes_ + std::int64_t{sizeof(cuda::Pass)})) {}

  template <typename T>
  T* at(std::int64_t byte) const {
    return reinterpret_cast<T*>(piece_.memory.as<char>() + byte);
  }
  /// Sends everything that has been written.
  void send(const cuda::Stream& stream, DevicePointer to, std::int64_t bytes, DevicePointer pass,
            const cuda::Pass& shared) const {
    new (at<cuda::Pass>(bytes_)) cuda::Pass(shared);
    stream.upload(to, at<char>(0), bytes);
    stream.upload(pass, at<char>(bytes_), sizeof(cuda::Pass));
    stream.record(piece_.copied);
  }

 private:
  const std::int64_t bytes_;
  cuda::Staging::Piece& piece_;
};

}  // namespace

void read_device_memory(int device, DeviceAddress from, std::span<std::byte> to, void* stream) {
  const cuda::Stream borrowed(cuda::Device::open(cuda::open_driver(), device), static_cast<cuda::StreamHandle>(stream));
  borrowed.download(to.data(), from, std::ssize(to));
  borrowed.synchronise();
}

DevicePasses::DevicePasses(std::shared_ptr<const Program> program, Ports ports, const SessionOptions& options) {
  user_check(program != nullptr, "DevicePasses got no program (nullptr); give it a compiled program");
  user_check(options.device.kind == DeviceKind::kCuda, "DevicePasses need a GPU, but the device is {}; use device cuda",
             to_string(options.device));
  impl_ = std::make_unique<Impl>(std::move(program), std::move(ports), options);
}

DevicePasses::~DevicePasses() = default;

std::int64_t DevicePlan::bytes() const { return content_->layout.end; }

std::span<const std::int32_t> DevicePlan::table_rows(int parameter) const {
  return content_->touched[static_cast<std::size_t>(parameter)];
}

std::vector<std::int64_t> DevicePasses::gradient_offsets(const Program& program) {
  return cuda::parameter_offsets(program);
}

DevicePlan DevicePasses::plan(const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                              std::span<const std::int64_t> caller_rows, std::int64_t rows) {
  Impl& impl = *impl_;
  user_check(&graphs.program() == impl.given.get(), "the graphs are bound to another program; bind them to this one");
  user_check(!samples.empty(), "the minibatch is empty; expected at least one sample");
  const std::scoped_lock lock(impl.planning);
  impl.preparation.start(impl.state, graphs, samples, 0);
  impl.preparation.finish();
  impl.preparation.drop();
  const auto list = [&](const Plan& plan, const Script& script, cuda::LaunchList& launches) {
    const std::scoped_lock launching(impl.launching);
    impl.loaded.list(plan, script, launches);
  };
  std::shared_ptr<Content> made = impl.planner.make(impl.state.batch, caller_rows, rows, list);
  made->made_by = &impl;
  return DevicePlan(std::move(made));
}

namespace {

/// Addresses of the parts of a pass's memory.
struct Parts {
  const cuda::CallerLayout& layout;
  DevicePointer begin;

  DevicePointer at(std::int64_t byte) const { return begin + static_cast<DevicePointer>(byte); }
  template <typename T>
  T* as(std::int64_t byte) const {
    return reinterpret_cast<T*>(at(byte));
  }

  cuda::KernelArguments arguments() const {
    cuda::KernelArguments a{};
    a.arena = as<float>(0);
    if (layout.weight_halves > layout.halves) {
      a.halves = as<std::uint16_t>(layout.halves);
      a.weight_halves = as<std::uint16_t>(layout.weight_halves);
    }
    a.pulls = as<const float*>(layout.pulls);
    a.steps = as<cuda::ParameterStep>(layout.steps);
    a.words = as<int>(layout.words);
    a.weights = as<float*>(layout.weights);
    a.callers = as<float*>(layout.callers);
    return a;
  }
  const cuda::Stretch* stretch(const Content& plan, std::size_t number) const {
    return reinterpret_cast<const cuda::Stretch*>(as<int>(layout.words) + plan.stretches) + number;
  }
};

/// Writes pointers to the weights. @param to  host copy of KernelArguments::weights
void write_weights(std::span<const DeviceAddress> weights, std::span<const std::int64_t> offsets, DevicePointer* to) {
  for (std::size_t p = 0; p < weights.size(); ++p)
    to[p] = weights[p] - static_cast<DevicePointer>(offsets[p]) * sizeof(float);
}

}  // namespace

void DevicePasses::Impl::check(const Content& plan, const Memory& memory, std::span<const DeviceAddress> inputs,
                               std::span<const DeviceAddress> outputs) const {
  user_check(plan.made_by == this, "the plan was made by another object; use the object that made it");
  user_check(memory.values % 64 == 0 && memory.weights.size() == program->parameters.size() &&
                 inputs.size() == numbers.inputs && outputs.size() == numbers.outputs,
             "a pass has memory at {:#x}, {} parameters, {} inputs and {} outputs; expected a multiple of 64, {}, {} "
             "and {}",
             memory.values, memory.weights.size(), inputs.size(), outputs.size(), program->parameters.size(),
             numbers.inputs, numbers.outputs);
}

void DevicePasses::forward(const DevicePlan& planned, const Memory& memory, std::span<const DeviceAddress> inputs,
                           std::span<const DeviceAddress> outputs, std::uint32_t epoch) {
  Impl& impl = *impl_;
  const Content& plan = planned.content();
  impl.check(plan, memory, inputs, outputs);
  const cuda::CallerLayout& layout = plan.layout;
  const Parts parts{layout, memory.values};
  const cuda::Stream stream(impl.device, static_cast<cuda::StreamHandle>(memory.stream));
  const std::scoped_lock lock(impl.launching);
  impl.begin(stream);

  const std::int64_t image = layout.spread - layout.image;
  const Parcel parcel(impl.staging, image);
  const auto at = [&](std::int64_t byte) { return byte - layout.image; };
  const auto zero = [&](std::int64_t begin, std::int64_t end) {
    std::memset(parcel.at<char>(at(begin)), 0, static_cast<std::size_t>(end - begin));
  };
  zero(layout.image, layout.words);   // pointers
  zero(layout.steps, layout.pulled);  // steps of zero make kernels clear the gradients of all rows of tables
  auto* const pulls = parcel.at<DevicePointer>(at(layout.pulls));
  for (std::size_t port = 0; port + 1 < plan.pulled_begin.size(); ++port)
    pulls[port] = parts.at(layout.pulled + plan.pulled_begin[port] * std::int64_t{sizeof(float)});
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (plan.given[i] >= 0)
      pulls[plan.given[i]] =
          plan.spread[i] < 0 ? inputs[i] : parts.at(layout.spread + plan.spread[i] * std::int64_t{sizeof(float)});
  write_weights(memory.weights, impl.offsets, parcel.at<DevicePointer>(at(layout.weights)));
  auto* const callers = parcel.at<DevicePointer>(at(layout.callers));
  std::ranges::copy(inputs, callers);
  std::ranges::copy(outputs, callers + impl.numbers.output(0));
  auto* const words = parcel.at<std::int32_t>(at(layout.words));
  std::ranges::copy(plan.words, words);
  words[cuda::kEntryCountWord] = plan.backward;
  words[cuda::kEpochWord] = std::bit_cast<std::int32_t>(epoch);
  std::ranges::copy(plan.pulled, parcel.at<float>(at(layout.pulled)));
  parcel.send(stream, parts.at(layout.image), image, impl.loaded.launcher().pass(),
              {.arguments = parts.arguments(), .next = parts.stretch(plan, 0), .stretch = {0, 0}});

  if (impl.options.precision == Precision::kBf16)
    impl.loaded.launcher().launch(stream, cuda::kRoundWeights, impl.counts);
  impl.copy(stream, plan.spreads);
  impl.launch(stream, std::span(plan.launches.items).first(plan.launches.backward));
  for (const Content::Clear& clear : plan.clears)
    stream.clear(outputs[clear.caller - impl.numbers.output(0)], clear.bytes);
  impl.copy(stream, plan.outputs);
  impl.end(stream);
}

void DevicePasses::backward(const DevicePlan& planned, const Memory& memory, std::span<const DeviceAddress> outputs,
                            DeviceAddress gradients, std::span<const DeviceAddress> inputs) {
  Impl& impl = *impl_;
  const Content& plan = planned.content();
  impl.check(plan, memory, inputs, outputs);
  const bool has_parameters = impl.offsets.back() > 0;
  user_check(impl.program->options.training && (gradients != 0 || !has_parameters),
             "backward needs a program that was compiled for training, and memory for the gradients");
  const cuda::CallerLayout& layout = plan.layout;
  const Parts parts{layout, memory.values};
  const cuda::Stream stream(impl.device, static_cast<cuda::StreamHandle>(memory.stream));
  const std::scoped_lock lock(impl.launching);
  impl.begin(stream);

  // Sends the pointers, and the header of the words, which follow the pointers.
  const std::int64_t bytes = layout.words - layout.weights + cuda::kHeaderWords * std::int64_t{sizeof(std::int32_t)};
  const Parcel parcel(impl.staging, bytes);
  std::memset(parcel.at<char>(0), 0, static_cast<std::size_t>(bytes));
  write_weights(memory.weights, impl.offsets, parcel.at<DevicePointer>(0));
  auto* const callers = parcel.at<DevicePointer>(layout.callers - layout.weights);
  std::ranges::copy(outputs, callers + impl.numbers.output_gradient(0));
  std::ranges::copy(inputs, callers + impl.numbers.input_gradient(0));
  std::copy_n(plan.words.begin(), cuda::kHeaderWords, parcel.at<std::int32_t>(layout.words - layout.weights));
  parcel.at<std::int32_t>(layout.words - layout.weights)[cuda::kEntryCountWord] = plan.update;
  cuda::KernelArguments arguments = parts.arguments();
  arguments.gradients = has_parameters ? reinterpret_cast<float*>(gradients) : arguments.arena;
  parcel.send(stream, parts.at(layout.weights), bytes, impl.loaded.launcher().pass(),
              {.arguments = arguments, .next = parts.stretch(plan, plan.launches.backward_stretch), .stretch = {0, 0}});

  impl.copy(stream, plan.output_gradients);
  impl.loaded.launcher().launch(stream, cuda::kClearGradients, impl.counts);
  impl.launch(stream, std::span(plan.launches.items).subspan(plan.launches.backward));
  const auto wanted = [&](std::size_t caller) { return inputs[caller - impl.numbers.input_gradient(0)]; };
  for (const Content::Clear& clear : plan.clears_back)
    if (const DeviceAddress rows = wanted(clear.caller); rows != 0) stream.clear(rows, clear.bytes);
  for (const Content::Copies& copies : plan.input_gradients)
    if (wanted(copies.caller) != 0) impl.copy(stream, copies);
  impl.end(stream);
}

}  // namespace cavs::inline v0_1
