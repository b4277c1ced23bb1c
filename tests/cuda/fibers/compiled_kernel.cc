#include "cuda/fibers/compiled_kernel.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "cuda/fibers/source_folder.h"

namespace cavs::cuda {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return (std::stringstream() << in.rdbuf()).str();
}

/// Runs commands on a kernel's text in a temporary folder, which the destructor removes.
class Build {
 public:
  Build(const KernelSource& source, const std::string& commands) {
    std::string folder = (std::filesystem::temp_directory_path() / "cavs-kernel-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder for a kernel");
    folder_ = folder;
    write_source(folder_, source);
    const std::string command = "cd " + folder + " && { " + commands + "; } > log 2>&1";
    done_ = std::system(command.c_str()) == 0;
    if (!done_) output_ = command + "\n" + text_of(path("log")).substr(0, 4000);
  }
  ~Build() { std::filesystem::remove_all(folder_); }
  Build(const Build&) = delete;

  std::filesystem::path path(const char* file) const { return folder_ / file; }
  bool done() const { return done_; }
  const std::string& output() const { return output_; }

 private:
  std::filesystem::path folder_;
  bool done_ = false;
  std::string output_;  // text of a message: the failed command and its output
};

}  // namespace

std::string errors_of(const KernelSource& source) {
  return Build(source, CAVS_FIBER_COMPILER " -I. -fsyntax-only kernel.cc").output();
}

CompiledModule::CompiledModule(const KernelSource& source) {
  const Build build(source,
                    CAVS_FIBER_COMPILER " -I. -c kernel.cc -o kernel.o && " CAVS_FIBER_LINKER " -o kernel.so kernel.o");
  if (!build.done()) throw std::runtime_error(build.output());
  library_ = dlopen(build.path("kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  *find<const FiberFunctions**>("cavs_fibers") = &kFiberFunctions;
}

CompiledModule::~CompiledModule() {
  if (library_ != nullptr) dlclose(library_);
}

void* CompiledModule::symbol(const char* name) const { return dlsym(library_, name); }

}  // namespace cavs::cuda
