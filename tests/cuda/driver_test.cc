// Errors if a GPU cannot be used, and checks that the stand-in detects misuse of a GPU.

#include <gmock/gmock.h>
#include <unistd.h>

#include <memory>

#include "backend/cuda/compile_kernel.h"
#include "backend/cuda/device.h"
#include "backend/cuda/entries/kernel_arguments.h"
#include "cavs/error.h"
#include "cuda/standin/stand_in.h"

namespace cavs::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class CudaMessages : public StandInTest {};

void open_gpu() { Device::open(open_driver()); }

struct Missing {
  const char *variable, *value;
  void (*open)();
  testing::Matcher<const std::string&> says;
};

TEST_F(CudaMessages, NameWhatIsMissing) {
  const Missing all[] = {
      {"CAVS_CUDA_DRIVER", "/nowhere/libcuda.so.1", open_gpu,
       AllOf(HasSubstr("there is no CUDA driver"), HasSubstr("/nowhere/libcuda.so.1"), HasSubstr("or use device cpu"))},
      {"CAVS_CUDA_DRIVER", "libm.so.6", open_gpu,
       "libm.so.6 has no function cuInit; expected a driver of CUDA 12 or later"},
      {"CAVS_NVRTC", "/nowhere/libnvrtc.so", [] { open_nvrtc(); },
       AllOf(HasSubstr("there is no NVRTC"), HasSubstr("/nowhere/libnvrtc.so: cannot open"),
             HasSubstr("'pip install cavs[cuda]' installs it"))},
      {"CAVS_STANDIN", "devices=0", open_gpu, HasSubstr("finds no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES")},
  };
  for (const Missing& missing : all) {
    const Variable like(missing.variable, missing.value);
    EXPECT_THAT(missing.open, ThrowsMessage<UserError>(missing.says));
  }
}

/// NVRTC next to a Python module, as installed by `pip install cavs[cuda]` or PyTorch's packages.
TEST_F(CudaMessages, FindAnNvrtcOfPypiThatTheDriverSupports) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in can be of any version";
  const Variable no_nvrtc("CAVS_NVRTC", "");
  const std::string packages = testing::TempDir() + "cavs-packages-" + std::to_string(getpid());
  const std::string of_12 = packages + "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                    of_13 = packages + "/nvidia/cu13/lib/libnvrtc.so.13";
  constexpr int kDriver12 = 12080, kDriver13 = 13000;
  std::string newest = of_13;
  try {
    const Nvrtc found = open_nvrtc(0, "");
    if (!version_of(found).starts_with("13.")) GTEST_SKIP() << "this machine has " << found.library_name;
    newest = found.library_name;
  } catch (const UserError& missing) {
    EXPECT_THAT(missing.what(), HasSubstr("(libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so, /usr/local"));
    EXPECT_THAT([&] { open_nvrtc(0, packages); },
                ThrowsMessage<UserError>(HasSubstr(of_13 + ", " + of_12 + ": cannot open")));
  }
  const auto install = [](const std::string& file) {
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::filesystem::copy_file(CAVS_CUDA_STANDIN, file);
  };
  install(of_13);
  EXPECT_EQ(open_nvrtc(kDriver12, packages).library_name, newest) << "the only one";
  install(of_12);
  EXPECT_EQ(open_nvrtc(kDriver12, packages).library_name, of_12);
  EXPECT_EQ(open_nvrtc(kDriver13, packages).library_name, newest);
  std::filesystem::remove_all(packages);
}

TEST_F(CudaMessages, StateHowMuchMemoryIsMissing) {
  const Variable like("CAVS_STANDIN", "memory=1000");
  DeviceMemory memory(Device::open(open_driver()));
  EXPECT_THAT([&] { memory.reserve(1001); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("not enough GPU memory"), HasSubstr("are free"))));
}

/// Checks that the stand-in reports the fault `expected`.
class StandIns : public StandInTest {
 protected:
  DeviceRef device = Device::open(open_driver());
  void expect_fault(const char* expected) const { EXPECT_THAT(faults(), HasSubstr(expected)); }
};

TEST_F(StandIns, DetectADoubleFree) {
  DevicePointer at = 0;
  device->call("cuMemAlloc", device->driver().allocate, &at, std::size_t{64});
  device->call("cuMemFree", device->driver().free, at);
  EXPECT_NE(device->driver().free(at), kSuccess);
  expect_fault("was freed before");
}

TEST_F(StandIns, DetectCopiesOutsideOfTheirMemory) {
  DeviceMemory memory(device);
  memory.reserve(64);
  const Stream stream(device);
  const std::vector<char> bytes(65);
  EXPECT_THROW(stream.upload(memory.at(), bytes.data(), 65), UserError);
  expect_fault("a copy to the device leaves its memory");
}

TEST_F(StandIns, DetectMemoryThatIsUsedAfterItWasFreed) {
  auto memory = std::make_unique<DeviceMemory>(device);
  memory->reserve(64);
  const DevicePointer old = memory->at();
  memory.reset();  // and no other memory of the device is there, which may lie at the same address
  const Stream stream(device);
  EXPECT_THROW(stream.clear(old, 64), UserError);
  expect_fault("a fill leaves its memory");
}

TEST_F(StandIns, DetectHostMemoryThatChangesBeforeItIsCopied) {
  PinnedMemory from(device);
  DeviceMemory to(device);
  from.reserve(64);
  to.reserve(64);
  const Stream stream(device);
  stream.upload(to.at(), from.as<char>(), 64);
  from.as<char>()[7] = 1;
  EXPECT_THROW(stream.synchronise(), UserError);
  expect_fault("host memory was changed before it was copied");
}

TEST_F(StandIns, DetectMemoryThatIsFreedBeforeItIsCopied) {
  PinnedMemory from(device);
  DeviceMemory to(device);
  from.reserve(64);
  to.reserve(64);
  const Stream stream(device);
  stream.upload(to.at(), from.as<char>(), 64);
  EXPECT_NE(device->driver().free_host(from.as<void>()), kSuccess);
  expect_fault("host memory is freed that work under way uses");
  stream.synchronise();
}

/// More than 48 KiB of dynamic shared memory must be allowed first, which class Kernel does.
TEST_F(StandIns, DetectMoreSharedMemoryThanAllowed) {
  const Variable like("CAVS_STANDIN", "kernels=0");  // accepts any cubin
  constexpr int kBytes = 60 << 10, kTooMany = 101 << 10;
  const Driver& driver = device->driver();
  ModuleHandle module = nullptr;
  FunctionHandle function = nullptr;
  device->call("cuModuleLoadData", driver.load_module, &module, static_cast<const void*>(nullptr));
  device->call("cuModuleGetFunction", driver.get_function, &function, module, "cavs_persistent");
  const Stream stream(device);
  KernelArguments none{};
  void* arguments[] = {&none};
  EXPECT_NE(driver.launch(function, 1, 1, 1, 32, 1, 1, kBytes, stream.handle(), arguments), kSuccess);
  expect_fault("more shared memory than its kernel was allowed");
  device->call("cuModuleUnload", driver.unload_module, module);
  const auto loaded = std::make_shared<const Module>(device, nullptr);
  EXPECT_THROW(Kernel(loaded, "cavs_persistent", kTooMany), UserError);
  expect_fault("expected at most 101376 per block");
  {
    const Kernel kernel(loaded, "cavs_persistent", kBytes);
    kernel.launch_together(stream, 1, 32, none);
    EXPECT_THROW(stream.synchronise(), UserError);
  }
  expect_fault("a launch without a script");
}

TEST_F(StandIns, RunNothingBeforeAWait) {
  PinnedMemory from(device), to(device);
  DeviceMemory memory(device);
  from.reserve(4);
  to.reserve(4);
  memory.reserve(4);
  const Stream first(device), second(device);
  const Event copied(device);
  *from.as<int>() = 7;
  first.upload(memory.at(), from.as<char>(), 4);
  first.record(copied);
  second.download(to.as<char>(), memory.at(), 4);
  second.synchronise();
  EXPECT_NE(*to.as<int>(), 7) << "no wait for the first stream yet";
  second.wait_for(copied);
  second.download(to.as<char>(), memory.at(), 4);
  second.synchronise();
  EXPECT_EQ(*to.as<int>(), 7);
}

TEST_F(StandIns, DetectLeaks) {
  DevicePointer at = 0;
  device->call("cuMemAlloc", device->driver().allocate, &at, std::size_t{64});
  device.reset();
  expect_fault("the context goes with 1 pieces of device memory");
}

}  // namespace
}  // namespace cavs::cuda
