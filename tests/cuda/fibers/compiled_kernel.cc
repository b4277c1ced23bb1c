#include "cuda/fibers/compiled_kernel.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "cuda/fibers/fibers.h"

namespace cavs::cuda {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return (std::stringstream() << in.rdbuf()).str();
}

}  // namespace

CompiledKernel::CompiledKernel(const std::string& source) {
  std::string folder = (std::filesystem::temp_directory_path() / "cavs-kernel-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder for a kernel");
  const std::filesystem::path at = folder, library = at / "kernel.so", log = at / "log";
  std::ofstream(at / "kernel.cc") << source;
  const std::string command = "cd " + folder +
                              " && { " CAVS_FIBER_COMPILER " -c kernel.cc -o kernel.o && " CAVS_FIBER_LINKER
                              " -o kernel.so kernel.o; } > log 2>&1";
  const bool compiled = std::system(command.c_str()) == 0;
  const std::string output = text_of(log);
  if (compiled) library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove_all(at);
  if (!compiled) throw std::runtime_error(command + "\n" + output.substr(0, 4000));
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  *static_cast<const FiberFunctions**>(dlsym(library_, "cavs_fibers")) = &kFiberFunctions;
  kernel_ = reinterpret_cast<void (*)(KernelArguments)>(dlsym(library_, "cavs_persistent"));
}

CompiledKernel::~CompiledKernel() {
  if (library_ != nullptr) dlclose(library_);
}

std::vector<std::string> CompiledKernel::launch(int blocks, int threads, std::uint64_t seed,
                                                std::span<const LaunchBuffer> memory,
                                                const KernelArguments& arguments) const {
  return launch_on_fibers(blocks, threads, seed, memory, [&] { kernel_(arguments); });
}

}  // namespace cavs::cuda
