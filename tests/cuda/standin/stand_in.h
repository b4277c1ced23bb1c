#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace cavs::cuda {

/// Sets an environment variable during its lifetime.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* const before = std::getenv(name);
    if (before != nullptr) {
      before_ = before;
      was_set_ = true;
    }
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

/// A test on the stand-in, which replaces CUDA's driver and NVRTC. The test fails if it misuses the driver.
/// With CAVS_TEST_DEVICE=gpu in the environment, it uses the machine's own driver.
class StandInTest : public testing::Test {
 protected:
  StandInTest() {
    const char* const device = std::getenv("CAVS_TEST_DEVICE");
    if (device != nullptr && std::string(device) == "gpu") return;
    library_ = dlopen(CAVS_CUDA_STANDIN, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) ADD_FAILURE() << dlerror();
    driver_.emplace("CAVS_CUDA_DRIVER", CAVS_CUDA_STANDIN);
    nvrtc_.emplace("CAVS_NVRTC", CAVS_CUDA_STANDIN);
    cache_.emplace("CAVS_CUDA_CACHE", "off");
  }
  ~StandInTest() override {
    if (!is_standin()) return;
    EXPECT_EQ(faults(), "");
    dlclose(library_);
  }

  bool is_standin() const { return library_ != nullptr; }
  std::string faults() const { return text("cavs_standin_faults"); }
  std::string failed_kernel() const { return text("cavs_standin_failed_kernel"); }
  long long launches() const { return count("cavs_standin_launches"); }
  /// Returns the number of launches on one of several devices.
  long long launches(int device) const {
    return reinterpret_cast<long long (*)(int)>(dlsym(library_, "cavs_standin_launches_of"))(device);
  }
  /// Returns the bytes of all copies between host and device.
  long long copied_bytes() const { return count("cavs_standin_copied_bytes"); }
  /// Returns the number of calls in which the host waits.
  long long waits() const { return count("cavs_standin_waits"); }
  /// Returns the number of launches of graphs. launches() counts the kernels in graphs.
  long long graph_launches() const { return count("cavs_standin_graph_launches"); }
  /// Returns the number of requests that a stream waits for an event.
  long long event_waits() const { return count("cavs_standin_event_waits"); }
  /// Returns the number of copies to the device that were requested during a launch.
  long long uploads_beside_launches() const { return count("cavs_standin_uploads_beside_launches"); }

 private:
  std::string text(const char* what) const { return reinterpret_cast<const char* (*)()>(dlsym(library_, what))(); }
  long long count(const char* what) const { return reinterpret_cast<long long (*)()>(dlsym(library_, what))(); }

  void* library_ = nullptr;
  std::optional<Variable> driver_, nvrtc_, cache_;
};

}  // namespace cavs::cuda
