#include "backend/cuda/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
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

/// Opens a library. Returns nullptr and sets `error` if there is no such library. @param name, flags  as for dlopen
std::shared_ptr<void> open_library(const std::string& name, std::string& error, int flags = 0) {
  if (void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | flags))
    return {handle, [](void* open) { dlclose(open); }};
  const char* const reason = dlerror();
  error = reason == nullptr ? name + " cannot be opened" : reason;
  return nullptr;
}

struct Place {
  std::string library;
  int flags = 0;  // for dlopen
};

/// Returns the places where NVRTC may be, in order: loaded by the process, found by the loader, in packages from PyPI.
std::vector<Place> nvrtc_places(const std::string& packages) {
  if (std::string given = from_environment("CAVS_NVRTC"); !given.empty()) return {{std::move(given)}};
  std::vector<Place> places{{"libnvrtc.so.13", RTLD_NOLOAD},
                            {"libnvrtc.so.12", RTLD_NOLOAD},
                            {"libnvrtc.so.13"},
                            {"libnvrtc.so.12"},
                            {"libnvrtc.so"},
                            {"/usr/local/cuda/lib64/libnvrtc.so"},
                            {"/usr/local/cuda/lib/libnvrtc.so"}};
  if (!packages.empty())
    for (const char* const file : {"/nvidia/cu13/lib/libnvrtc.so.13", "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"})
      places.push_back({packages + file});
  return places;
}

/// Finds NVRTC's functions. @throws UserError if the library lacks one
Nvrtc nvrtc_in(std::shared_ptr<void> library, const std::string& name) {
  Nvrtc nvrtc;
#define CAVS_FIND(member, symbol, ...) find(library.get(), name, symbol, "NVRTC of CUDA 12 or later", nvrtc.member);
  CAVS_NVRTC(CAVS_FIND)
#undef CAVS_FIND
  nvrtc.library = std::move(library);
  nvrtc.library_name = name;
  return nvrtc;
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
             "CAVS_CUDA_DRIVER, or use device cpu",
             error);
#define CAVS_FIND(member, symbol, ...) \
  find(driver.library.get(), driver.library_name, symbol, "a driver of CUDA 12 or later", driver.member);
  CAVS_CUDA_DRIVER(CAVS_FIND)
#undef CAVS_FIND
  return driver;
}

std::string python_packages() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(&python_packages), &found) == 0) return "";
  const std::filesystem::path module = found.dli_fname;
  return module.is_absolute() && module.extension() == ".so" ? module.parent_path().parent_path() : "";
}

Nvrtc open_nvrtc(int driver_version, const std::string& packages) {
  constexpr int kOldestMajor = 12, kOfMajor = 1000;
  std::string tried, error;
  std::optional<Nvrtc> other;  // an NVRTC that is too new or too old for the driver
  for (const Place& place : nvrtc_places(packages)) {
    std::shared_ptr<void> library = open_library(place.library, error, place.flags);
    if (library == nullptr) {
      if (place.flags == RTLD_NOLOAD) continue;
      // Names are listed with one reason, that of the last name, because it is usually the same for all.
      if (!tried.empty()) tried = tried.substr(0, tried.rfind(": cannot open shared object file: No such")) + ", ";
      tried += error;
      continue;
    }
    Nvrtc nvrtc = nvrtc_in(std::move(library), place.library);
    int major = 0, minor = 0;
    nvrtc.version(&major, &minor);
    if (major >= kOldestMajor && (driver_version == 0 || major <= driver_version / kOfMajor)) return nvrtc;
    if (!other) other = std::move(nvrtc);
  }
  user_check(
      other.has_value(),
      "there is no NVRTC, which compiles kernels ({}); 'pip install cavs[cuda]' installs it; otherwise install CUDA "
      "12 or 13, name its library in CAVS_NVRTC, or use device cpu",
      tried);
  return *std::move(other);
}

void check(const Driver& driver, Status status, const char* call) {
  if (status == kSuccess) [[likely]]
    return;
  constexpr Status kGone[] = {kUnavailable, kNoDevice, kMemoryError, kLinkError};
  constexpr Status kOther[] = {kIllegalAddress, kLaunchTimeout, kAssertion};
  const bool is_gone = std::ranges::find(kGone, status) != std::end(kGone);
  const bool broke_off = std::ranges::find(kOther, status) != std::end(kOther) ||
                         (status >= kStackError && status <= kLaunchFailed);  // all in this range are kernels' errors
  const char *name = nullptr, *text = nullptr;
  driver.error_name(status, &name);
  driver.error_text(status, &text);
  const std::string reason = fmt::format("{}: {} ({})", call, name == nullptr ? "unnamed error" : name,
                                         text == nullptr ? "no description" : text);
  user_check(status != kOutOfMemory,
             "not enough GPU memory: {}; try a smaller batch or hidden size, or end other programs that use the GPU",
             reason);
  user_check(
      !is_gone,
      "the GPU is lost, or another process uses it exclusively: {}; check nvidia-smi and dmesg (Xid), and continue "
      "from the last checkpoint when the GPU is back, on another GPU, as in cuda:1, or on device cpu",
      reason);
  user_check(!broke_off,
             "a kernel was aborted: {}; its results are lost; continue from the last checkpoint, and please "
             "report this (docs/guide/gpu.md){}",
             reason,
             from_environment("CAVS_CUDA_LAUNCHES") == "waited"
                 ? ""
                 : "; run engine batched again with CAVS_CUDA_LAUNCHES=waited, which names the kernel");
  user_error("CUDA failed: {}; see docs/guide/gpu.md", reason);
}

}  // namespace cavs::cuda
