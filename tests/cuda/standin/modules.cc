// Loads modules of the stand-in (a model of CUDA's driver): "cubins", which are shared libraries with kernels.

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cuda/fibers/fibers.h"
#include "cuda/standin/device_model.h"

namespace cavs::cuda {
namespace {

/// Returns the bytes of an image: an ELF file, whose headers give its size, and a trailer.
std::size_t size_of_image(const char* image) {
  std::uint64_t sections = 0;
  std::uint16_t size = 0, count = 0;
  std::memcpy(&sections, image + 0x28, sizeof sections);
  std::memcpy(&size, image + 0x3A, sizeof size);
  std::memcpy(&count, image + 0x3C, sizeof count);
  return sections + std::size_t{size} * count;
}

}  // namespace

Status DeviceModel::load(ModuleOf** module, const void* image) {
  if (StandIn::of_environment().kernels == 0) {
    auto any = std::make_unique<ModuleOf>();
    *module = any.get();
    modules_.emplace(any.get(), std::move(any));
    return kSuccess;
  }
  const char* const bytes = static_cast<const char*>(image);
  if (std::memcmp(bytes, "\177ELF", 4) != 0) return 200;  // CUDA_ERROR_INVALID_IMAGE
  auto loaded = std::make_unique<ModuleOf>();
  const std::size_t size = size_of_image(bytes);
  std::memcpy(&loaded->trailer, bytes + size, sizeof(CubinTrailer));
  if (std::memcmp(loaded->trailer.magic, CubinTrailer{}.magic, sizeof(CubinTrailer::magic)) != 0) return 200;
  if (loaded->trailer.compute != StandIn::of_environment().compute) return 209;  // CUDA_ERROR_NO_BINARY_FOR_GPU
  loaded->folder = (std::filesystem::temp_directory_path() / "cavs-standin-XXXXXX").string();
  if (mkdtemp(loaded->folder.data()) == nullptr) return fault("no temporary folder for a kernel");
  const std::string file = loaded->folder + "/kernel.so";
  std::ofstream(file, std::ios::binary).write(bytes, static_cast<std::streamsize>(size));
  loaded->library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove_all(loaded->folder);
  if (loaded->library == nullptr) return fault(dlerror());
  *static_cast<const FiberFunctions**>(dlsym(loaded->library, "cavs_fibers")) = &kFiberFunctions;
  *module = loaded.get();
  modules_.emplace(loaded.get(), std::move(loaded));
  return kSuccess;
}

Status DeviceModel::unload(ModuleOf* module) {
  const auto found = modules_.find(module);
  if (found == modules_.end()) return fault("a module is unloaded that is not there");
  if (is_in_use(module)) return fault("a module is unloaded whose kernel is under way");
  std::erase_if(functions_, [&](const auto& function) { return function->module == module; });
  if (module->library != nullptr) dlclose(module->library);
  modules_.erase(found);
  return kSuccess;
}

Status DeviceModel::find(FunctionOf** function, ModuleOf* module, const char* name) {
  if (!modules_.contains(module)) return fault("a function of an unknown module is requested");
  void* const symbol = module->library == nullptr ? nullptr : dlsym(module->library, name);
  if (symbol == nullptr && module->library != nullptr) return 500;  // CUDA_ERROR_NOT_FOUND
  auto found = std::make_unique<FunctionOf>(FunctionOf{module, name, {}});
  if (std::string(name) == "cavs_persistent")
    found->kernel = reinterpret_cast<void (*)(KernelArguments)>(symbol);
  else
    found->kernel = reinterpret_cast<void (*)(Launch)>(symbol);
  functions_.push_back(std::move(found));
  *function = functions_.back().get();
  return kSuccess;
}

bool DeviceModel::is_known(const FunctionOf* function) const {
  return std::ranges::find(functions_, function, &std::unique_ptr<FunctionOf>::get) != functions_.end();
}

Status DeviceModel::allow_shared(FunctionOf* function, int bytes) {
  if (!is_known(function)) return fault("an attribute is set of a kernel that was unloaded");
  if (function->module->trailer.static_shared + bytes > StandIn::of_environment().shared)
    return fault("kernel " + function->name + " asks for " + std::to_string(bytes) +
                 " bytes of dynamic shared memory and has " + std::to_string(function->module->trailer.static_shared) +
                 " static ones, expected at most " + std::to_string(StandIn::of_environment().shared) + " per block");
  function->most_shared = bytes;
  return kSuccess;
}

}  // namespace cavs::cuda
