#include "backend/cuda/driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "support/check.h"

namespace cavs::cuda {
namespace {

template <typename F>
void find(void* library, const std::string& name, const char* symbol, std::string_view needs, F& function) {
  void* const found = dlsym(library, symbol);
  user_check(found != nullptr, "{} has no function {}; expected {}", name, symbol, needs);
  function = reinterpret_cast<F>(found);
}

/// nullptr with `error` where there is none. @param name  as dlopen takes it
std::shared_ptr<void> open_library(const std::string& name, std::string& error) {
  if (void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
    return {handle, [](void* open) { dlclose(open); }};
  const char* const reason = dlerror();
  error = reason == nullptr ? name + " cannot be opened" : reason;
  return nullptr;
}

}  // namespace

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Driver open_driver() {
  const std::string given = from_environment("CAVS_CUDA_DRIVER");
  std::string error;
  Driver driver;
  driver.library_name = given.empty() ? "libcuda.so.1" : given;
  driver.library = open_library(driver.library_name, error);
  user_check(driver.library != nullptr,
             "there is no CUDA driver ({}); install NVIDIA's driver (525 or later), name its library in "
             "CAVS_CUDA_DRIVER, or take device cpu",
             error);
#define CAVS_FIND(member, symbol, ...) \
  find(driver.library.get(), driver.library_name, symbol, "a driver of CUDA 12 or later", driver.member);
  CAVS_CUDA_DRIVER(CAVS_FIND)
#undef CAVS_FIND
  return driver;
}

Nvrtc open_nvrtc() {
  const std::string given = from_environment("CAVS_NVRTC");
  const std::vector<std::string> names =
      given.empty() ? std::vector<std::string>{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                               "/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda/lib/libnvrtc.so"}
                    : std::vector{given};
  std::string error, first;
  Nvrtc nvrtc;
  for (const std::string& name : names) {
    nvrtc.library_name = name;
    nvrtc.library = open_library(name, error);
    if (nvrtc.library != nullptr) break;
    if (first.empty()) first = error;
  }
  user_check(
      nvrtc.library != nullptr,
      "there is no NVRTC, which compiles kernels ({}); install CUDA 12 or 13 ('pip install nvidia-cuda-nvrtc' has "
      "it, too) and name the library in CAVS_NVRTC, or take device cpu",
      first);
#define CAVS_FIND(member, symbol, ...) \
  find(nvrtc.library.get(), nvrtc.library_name, symbol, "NVRTC of CUDA 12 or later", nvrtc.member);
  CAVS_NVRTC(CAVS_FIND)
#undef CAVS_FIND
  return nvrtc;
}

void check(const Driver& driver, Status status, const char* call) {
  if (status == kSuccess) [[likely]]
    return;
  const char *name = nullptr, *text = nullptr;
  driver.error_name(status, &name), driver.error_text(status, &text);
  const std::string reason = fmt::format("{}: {} ({})", call, name == nullptr ? "an error without a name" : name,
                                         text == nullptr ? "no text" : text);
  user_check(status != kOutOfMemory,
             "the GPU has not enough memory: {}; try a smaller batch or hidden size, or end what else uses it", reason);
  user_check(status != kIllegalAddress && status != kLaunchFailed,
             "a kernel broke off: {}; what the GPU had computed is lost: go on from the last checkpoint, and please "
             "report this (docs/gpu.md)",
             reason);
  user_error("CUDA failed: {}; see docs/gpu.md", reason);
}

}  // namespace cavs::cuda
