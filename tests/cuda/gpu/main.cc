// The program that scripts/gpu-check.sh runs. Commands:
//
//   cuda_check prepare FOLDER [small] COMPUTE:PROCESSORS...
//                                        writes kernels and the bits of fibers to FOLDER, without a GPU; small is for
//                                        a rehearsal
//   cuda_check device FOLDER             describes the GPU
//   cuda_check processors FOLDER         checks that kernels of real sizes were prepared for the GPU
//   cuda_check prepare-batched FOLDER    writes kernels of engine batched, with a stand-in for the GPU
//   cuda_check numbers FOLDER [MODEL]    runs all models twice, and compares with the reference and with fibers
//   cuda_check batched FOLDER            compares engine batched with the reference on all models, and decoding with
//   the
//                                        CPU, in all forms of launches
//   cuda_check batched-times FOLDER      times steps of engine batched
//   cuda_check times FOLDER              times barriers, levels and steps
//   cuda_check profile FOLDER            breaks down the time of a step
//   cuda_check same-loss FILE FILE       compares the losses of two trainings (cavs train --json)
//
// Results are JSON on standard output, and progress is on standard error. The exit code is 0 if all is right, 77
// without a GPU or without kernels for it, 2 for wrong usage, and 1 for every failure.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "cuda/fibers/step_on_fibers.h"
#include "cuda/gpu/batched_check.h"
#include "cuda/gpu/decode_check.h"
#include "cuda/gpu/prepared.h"
#include "cuda/gpu/timing.h"

namespace cavs::cuda {
namespace {

using Json = nlohmann::json;

constexpr int kRight = 0, kWrong = 1, kUsage = 2, kSkipped = 77;
constexpr double kFirstLaw = 1e-5, kRoundingOfBf16 = 0.1;
constexpr double kRoundingOfSteps = 1e-3;  // of the losses of some steps of a training

/// Parses text such as "90:132".
PreparedGpu gpu_in(const std::string& text) {
  int compute = 0, processors = 0;
  if (std::sscanf(text.c_str(), "%d:%d", &compute, &processors) != 2 || compute <= 0 || processors <= 0)
    throw std::runtime_error("'" + text + "' names no GPU; expected COMPUTE:PROCESSORS, as in 90:132");
  return {compute, processors};
}

std::string bits_of_fibers(const CheckCase& check, const CheckStep& step) {
  const CompiledKernel fibers(step.step().source());
  std::vector<std::string> faults;
  const StepOutcome found =
      step.run([&](const LaunchShape& shape, const KernelArguments& arguments, std::span<const LaunchBuffer> memory) {
        faults = fibers.launch(shape.blocks, shape.threads, shape.order, memory, arguments);
      });
  if (!faults.empty()) throw std::runtime_error(check.name() + ": " + faults.front());
  return step.bits(found);
}

int prepare(PreparedFolder to) {
  KernelCompiler compiler = to.compiler();
  std::set<int> architectures;
  for (const auto& [compute, processors] : to.gpus) architectures.insert(compute);
  for (const CheckCase& check : check_cases(to.small)) {
    const CheckStep step(check);
    to.bits[check.name()] = bits_of_fibers(check, step);
    for (const int compute : architectures) compile(step.step(), compiler, compute);
    std::cerr << check.name() << '\n';
  }
  std::vector<TimedModel> all_timed = timed_models(to.small), profiled = profiled_models(to.small);
  all_timed.insert(all_timed.end(), profiled.begin(), profiled.end());
  for (const auto& [compute, processors] : to.gpus)
    for (const TimedModel& timed : all_timed) {
      lean_kernel(timed, compiler, compute, processors);
      std::cerr << timed.name() << ", sm_" << compute << '\n';
    }
  to.write();
  std::cerr << compiler.compiled() << " kernels compiled, " << compiler.cached() << " from the cache\n";
  return kRight;
}

int print_device(const DeviceRef& device) {
  const DeviceProperties& gpu = device->properties();
  int version = 0;
  device->call("cuDriverGetVersion", device->driver().version, &version);
  std::cout << Json{{"name", gpu.name},
                    {"architecture", gpu.architecture()},
                    {"processors", gpu.processors},
                    {"driver", device->driver().library_name},
                    {"cuda", fmt::format("{}.{}", version / 1000, version % 1000 / 10)}}
                   .dump(1)
            << '\n';
  return kRight;
}

/// In bf16 a GPU adds the products of a matrix instruction in an order that NVIDIA does not specify. So the bits need
/// not match those of fibers, and are only printed.
Json check_numbers(const CheckCase& check, const DeviceRef& device, KernelCompiler& compiler,
                   const std::string& expected) {
  const CheckStep step(check);
  const DeviceKernel kernel(device, compile(step.step(), compiler, device->properties().compute), step.step());
  const auto launch = [&](const LaunchShape& shape, const KernelArguments& arguments,
                          std::span<const LaunchBuffer> memory) { kernel.launch(shape, arguments, memory); };
  const StepOutcome first = step.run(launch), second = step.run(launch);
  const bool is_bf16 = check.precision == Precision::kBf16;
  const double error = step.error(first);
  const bool near = error <= (is_bf16 ? kRoundingOfBf16 : kFirstLaw) && first.result.updated == 1;
  const bool same = step.bits(first) == step.bits(second), as_fibers = step.bits(first) == expected;
  return {{"case", check.name()},        {"error", error},
          {"near_reference", near},      {"same_bits_twice", same},
          {"bits_of_fibers", as_fibers}, {"right", near && same && (as_fibers || is_bf16)}};
}

int numbers(const PreparedFolder& prepared, const DeviceRef& device, const std::string& model) {
  KernelCompiler compiler = prepared.compiler();
  Json all = Json::array();
  bool right = true;
  for (const CheckCase& check : check_cases(prepared.small)) {
    if (!model.empty() && check.model != model) continue;
    all.push_back(check_numbers(check, device, compiler, prepared.bits.at(check.name())));
    right = right && all.back()["right"];
    std::cerr << all.back().dump() << '\n';
  }
  std::cout << all.dump(1) << '\n';
  return right && !all.empty() ? kRight : kWrong;
}

int times(const PreparedFolder& prepared, const DeviceRef& device) {
  const DeviceProperties& gpu = device->properties();
  prepared.check_processors(gpu);
  KernelCompiler compiler = prepared.compiler();
  Json all{{"barriers", Json::array()}, {"levels", Json::array()}, {"steps", Json::array()}};
  const auto add = [&](const char* what, const Json& rows) {
    for (const Json& row : rows) all[what].push_back(row);
    std::cerr << rows.dump() << '\n';
  };
  for (const TimedModel& timed : timed_models(prepared.small)) {
    const LeanKernel made = lean_kernel(timed, compiler, gpu.compute, gpu.processors);
    const Timing timing(device, made, timed);
    add("barriers", Json::array({timing.barriers()}));
    add("levels", timing.levels());
    add("steps", timing.steps());
  }
  std::cout << all.dump(1) << '\n';
  return kRight;
}

int profile(const PreparedFolder& prepared, const DeviceRef& device) {
  const DeviceProperties& gpu = device->properties();
  prepared.check_processors(gpu);
  KernelCompiler compiler = prepared.compiler();
  Json all = Json::array();
  for (const TimedModel& timed : profiled_models(prepared.small)) {
    const LeanKernel made = lean_kernel(timed, compiler, gpu.compute, gpu.processors);
    for (const Json& rows : Timing(device, made, timed).profile()) all.push_back(rows);
    std::cerr << timed.name() << '\n';
  }
  std::cout << all.dump(1) << '\n';
  return kRight;
}

/// The training and development losses of all epochs.
std::vector<double> losses_in(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  const Json report = Json::parse(in);
  std::vector<double> losses;
  for (const Json& epoch : report.at("epochs"))
    for (const char* name : {"train_loss", "dev_loss"}) losses.push_back(epoch.at(name));
  return losses;
}

int compare_losses(const std::string& found_file, const std::string& expected_file) {
  const std::vector<double> found = losses_in(found_file), expected = losses_in(expected_file);
  bool right = !found.empty() && found.size() == expected.size();
  for (std::size_t i = 0; right && i < found.size(); ++i)
    right = std::abs(found[i] - expected[i]) <= kRoundingOfSteps * std::abs(expected[i]);
  std::cout << Json{{"found", found}, {"expected", expected}, {"tolerance", kRoundingOfSteps}}.dump(1) << '\n';
  if (!right)
    std::cerr << "the losses of " << found_file << " differ from those of " << expected_file << " by more than "
              << kRoundingOfSteps << '\n';
  return right ? kRight : kWrong;
}

int run(const std::vector<std::string>& arguments) {
  const auto argument = [&](std::size_t number) { return number < arguments.size() ? arguments[number] : ""; };
  const std::string command = argument(0), folder = argument(1);
  if (command == "prepare" && arguments.size() > 2) {
    PreparedFolder to{folder, arguments[2] == "small", {}, {}};
    for (std::size_t k = to.small ? 3 : 2; k < arguments.size(); ++k) to.gpus.insert(gpu_in(arguments[k]));
    return prepare(std::move(to));
  }
  if (command == "same-loss" && arguments.size() == 3) return compare_losses(folder, arguments[2]);
  if (command == "prepare-batched") {
    prepare_batched(PreparedFolder::read(folder).small);
    prepare_decoding();
    return kRight;
  }
  if (command == "batched" || command == "batched-times") {
    const PreparedFolder prepared = PreparedFolder::read(folder);
    prepared.open_gpu();
    Json all = command == "batched" ? check_batched(prepared.small) : time_batched(prepared.small);
    if (command == "batched")
      for (Json& row : check_decoding()) all.push_back(std::move(row));
    std::cout << all.dump(1) << '\n';
    return std::ranges::all_of(all, [](const Json& row) { return row.value("right", true); }) ? kRight : kWrong;
  }
  if (command == "device" || command == "processors" || command == "numbers" || command == "times" ||
      command == "profile") {
    const PreparedFolder prepared = PreparedFolder::read(folder);
    const DeviceRef device = prepared.open_gpu();
    if (command == "device") return print_device(device);
    if (command == "processors") {
      prepared.check_processors(device->properties());
      return kRight;
    }
    if (command == "profile") return profile(prepared, device);
    return command == "numbers" ? numbers(prepared, device, argument(2)) : times(prepared, device);
  }
  std::cerr << "cuda_check prepare FOLDER [small] COMPUTE:PROCESSORS... | device FOLDER | processors FOLDER | "
               "numbers FOLDER [MODEL] | times FOLDER | profile FOLDER | prepare-batched FOLDER | batched FOLDER | "
               "batched-times FOLDER | same-loss FILE FILE\n";
  return kUsage;
}

}  // namespace
}  // namespace cavs::cuda

int main(int count, char** arguments) {
  try {
    return cavs::cuda::run({arguments + 1, arguments + count});
  } catch (const cavs::cuda::NothingToCheck& reason) {
    std::cerr << reason.what() << '\n';
    return cavs::cuda::kSkipped;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return cavs::cuda::kWrong;
  }
}
