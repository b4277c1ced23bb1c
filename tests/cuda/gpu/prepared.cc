#include "cuda/gpu/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cavs/error.h"

namespace cavs::cuda {
namespace {

using Json = nlohmann::json;

std::string file_of(const std::string& folder) { return folder + "/prepared.json"; }

}  // namespace

PreparedFolder PreparedFolder::read(const std::string& folder) {
  std::ifstream in(file_of(folder));
  if (!in)
    throw std::runtime_error(
        fmt::format("there is no {}; make it with 'scripts/gpu-check.sh prepare {}'", file_of(folder), folder));
  const Json json = Json::parse(in);
  return {folder, json.at("small"), json.at("gpus"), json.at("bits")};
}

void PreparedFolder::write() const {
  std::ofstream out(file_of(folder));
  out << Json{{"small", small}, {"gpus", gpus}, {"bits", bits}}.dump(1) << '\n';
  if (!out.flush()) throw std::runtime_error(file_of(folder) + " cannot be written");
}

std::string PreparedFolder::list_gpus() const {
  std::string text;
  for (const auto& [compute, processors] : gpus)
    text += fmt::format("{}{} processors of sm_{}", text.empty() ? "" : ", ", processors, compute);
  return text;
}

DeviceRef PreparedFolder::open_gpu() const {
  DeviceRef device;
  try {
    device = Device::open(open_driver());
  } catch (const UserError& error) {
    throw NothingToCheck(error.what());
  }
  const DeviceProperties& gpu = device->properties();
  if (std::ranges::none_of(gpus, [&](const PreparedGpu& p) { return p.first == gpu.compute; }))
    throw NothingToCheck(fmt::format("kernels were prepared for {}; {} is {}: prepare with {}:{}", list_gpus(),
                                     gpu.name, gpu.architecture(), gpu.compute, gpu.processors));
  return device;
}

void PreparedFolder::check_processors(const DeviceProperties& gpu) const {
  if (!gpus.contains({gpu.compute, gpu.processors}))
    throw NothingToCheck(fmt::format("kernels were prepared for {}; {} has {} of {}: prepare with {}:{}", list_gpus(),
                                     gpu.name, gpu.processors, gpu.architecture(), gpu.compute, gpu.processors));
}

}  // namespace cavs::cuda
