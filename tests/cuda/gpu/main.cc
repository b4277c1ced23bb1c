// What scripts/gpu-check.sh runs. Commands:
//
//   cuda_check prepare FOLDER COMPUTE:PROCESSORS...   kernels into FOLDER/kernels, the bits of fibers into
//                                                     FOLDER/expected.json; needs no GPU
//   cuda_check device FOLDER                          what GPU there is
//   cuda_check numbers FOLDER [MODEL]                 all models on the GPU: against the reference, twice, as on fibers
//   cuda_check times FOLDER [SAMPLES]                 barriers, levels, steps
//
// Results are JSON on the standard output, progress is on the standard error. The exit code is 0: right, 1: something
// is wrong, 77: there is no GPU, or no kernels for it.

#include <cstdio>
#include <fstream>
#include <iostream>

#include "cavs/error.h"
#include "cuda/fibers/step_on_fibers.h"
#include "cuda/gpu/timing.h"

namespace cavs::cuda {
namespace {

using Json = nlohmann::json;

constexpr int kRight = 0, kWrong = 1, kSkipped = 77;
constexpr int kWarps = 8;
constexpr double kFirstLaw = 1e-5, kRoundingOfBf16 = 0.1;

KernelCompiler compiler_of(const std::string& folder) { return KernelCompiler(KernelCache(folder + "/kernels")); }

Json read(const std::string& file) {
  std::ifstream in(file);
  return in ? Json::parse(in) : Json::object();
}

/// The bits that fibers compute, and kernels for each architecture.
int prepare(const std::string& folder, const std::vector<std::pair<int, int>>& gpus) {
  KernelCompiler compiler = compiler_of(folder);
  Json expected;
  for (const CheckCase& check : check_cases()) {
    const CheckStep step(check);
    const CompiledKernel fibers(step.step().source());
    std::vector<std::string> faults;
    const StepOutcome found =
        step.run([&](const LaunchShape& shape, const KernelArguments& arguments, std::span<const LaunchBuffer> memory) {
          faults = fibers.launch(shape.blocks, shape.threads, shape.order, memory, arguments);
        });
    if (!faults.empty()) throw std::runtime_error(check.name() + ": " + faults.front());
    expected[check.name()] = step.bits(found);
    for (const auto& [compute, processors] : gpus) compile(step.step(), compiler, compute);
    std::cerr << check.name() << '\n';
  }
  Json processors;
  for (const auto& [compute, count] : gpus) {
    for (const TimedModel& timed : timed_models()) {
      lean_kernel(timed, compiler, compute, count, kWarps);
      std::cerr << timed.name() << ", sm_" << compute << '\n';
    }
    processors[std::to_string(compute)] = count;
  }
  std::ofstream(folder + "/expected.json") << Json{{"bits", expected}, {"processors", processors}}.dump(1) << '\n';
  std::cerr << compiler.compiled() << " kernels compiled, " << compiler.cached() << " were there\n";
  return kRight;
}

int print_device(const DeviceRef& device) {
  const DeviceProperties& gpu = device->properties();
  int version = 0;
  device->call("cuDriverGetVersion", device->driver().version, &version);
  std::cout << Json{{"name", gpu.name},
                    {"architecture", gpu.architecture()},
                    {"processors", gpu.processors},
                    {"driver", device->driver().library->name()},
                    {"cuda", fmt::format("{}.{}", version / 1000, version % 1000 / 10)}}
                   .dump(1)
            << '\n';
  return kRight;
}

Json check_numbers(const CheckCase& check, const DeviceRef& device, KernelCompiler& compiler, const Json& expected) {
  const CheckStep step(check);
  const DeviceKernel kernel(device, compile(step.step(), compiler, device->properties().compute));
  const auto launch = [&](const LaunchShape& shape, const KernelArguments& arguments,
                          std::span<const LaunchBuffer> memory) { kernel.launch(shape, arguments, memory); };
  const StepOutcome first = step.run(launch), second = step.run(launch);
  const double error = step.error(first), most = check.precision == Precision::kBf16 ? kRoundingOfBf16 : kFirstLaw;
  const bool same = step.bits(first) == step.bits(second),
             as_fibers = step.bits(first) == expected.value(check.name(), "");
  return {{"case", check.name()},
          {"error", error},
          {"right", error <= most && first.result.updated == 1},
          {"same_bits_twice", same},
          {"bits_of_fibers", as_fibers}};
}

int numbers(const std::string& folder, const DeviceRef& device, const std::string& model) {
  KernelCompiler compiler = compiler_of(folder);
  const Json expected = read(folder + "/expected.json").value("bits", Json::object());
  Json all = Json::array();
  bool right = true;
  for (const CheckCase& check : check_cases()) {
    if (!model.empty() && check.model != model) continue;
    all.push_back(check_numbers(check, device, compiler, expected));
    const Json& last = all.back();
    right = right && last["right"] && last["same_bits_twice"] && last["bits_of_fibers"];
    std::cerr << last.dump() << '\n';
  }
  std::cout << all.dump(1) << '\n';
  return right && !all.empty() ? kRight : kWrong;
}

int times(const std::string& folder, const DeviceRef& device, int samples) {
  KernelCompiler compiler = compiler_of(folder);
  const DeviceProperties& gpu = device->properties();
  const int prepared = read(folder + "/expected.json")
                           .value("processors", Json::object())
                           .value(std::to_string(gpu.compute), gpu.processors);
  if (prepared > gpu.processors)
    throw UserError(fmt::format("kernels were prepared for {} processors of sm_{}, {} has {}; prepare with {}:{}",
                                prepared, gpu.compute, gpu.name, gpu.processors, gpu.compute, gpu.processors));
  const int warps = std::min(kWarps, gpu.max_threads / 32);
  Json all{{"barriers", Json::array()}, {"levels", Json::array()}, {"steps", Json::array()}};
  const auto add = [&](const char* what, const Json& rows) {
    for (const Json& row : rows) all[what].push_back(row);
    std::cerr << rows.dump() << '\n';
  };
  for (const TimedModel& timed : timed_models()) {
    const LeanKernel made = lean_kernel(timed, compiler, gpu.compute, prepared, warps);
    const Timing timing(device, made, timed, samples);
    add("barriers", Json::array({timing.barriers()}));
    if (timed.model == "var-lstm") add("levels", timing.levels());
    add("steps", timing.steps());
  }
  std::cout << all.dump(1) << '\n';
  return kRight;
}

int run(const std::vector<std::string>& arguments) {
  const std::string command = !arguments.empty() ? arguments[0] : "", folder = arguments.size() > 1 ? arguments[1] : "";
  const std::string more = arguments.size() > 2 ? arguments[2] : "";
  if (command == "prepare") {
    std::vector<std::pair<int, int>> gpus;
    for (std::size_t k = 2; k < arguments.size(); ++k)
      gpus.emplace_back(std::stoi(arguments[k]), std::stoi(arguments[k].substr(arguments[k].find(':') + 1)));
    return prepare(folder, gpus);
  }
  const DeviceRef device = Device::open(open_driver());
  if (command == "device") return print_device(device);
  if (command == "numbers") return numbers(folder, device, more);
  if (command == "times") return times(folder, device, more.empty() ? 128 : std::stoi(more));
  std::cerr << "cuda_check prepare|device|numbers|times FOLDER ...\n";
  return 2;
}

}  // namespace
}  // namespace cavs::cuda

int main(int count, char** arguments) {
  try {
    return cavs::cuda::run({arguments + 1, arguments + count});
  } catch (const cavs::UserError& error) {
    std::cerr << error.what() << '\n';
    return cavs::cuda::kSkipped;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return cavs::cuda::kWrong;
  }
}
