// Compares the library's declarations of CUDA with CUDA's headers, if these are installed.

#include <gtest/gtest.h>

#include "backend/cuda/driver.h"

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>)
#include <cuda.h>
#include <nvrtc.h>

#include <type_traits>

namespace cavs::cuda {
namespace {

template <typename T>
constexpr bool kIsNumber = std::is_enum_v<T> || std::is_integral_v<T>;

/// True if both types are passed alike: both are addresses, or numbers of one size.
template <typename A, typename B>
constexpr bool kAlike = std::is_pointer_v<A> ? std::is_pointer_v<B>
                                             : kIsNumber<A>&& kIsNumber<B> && sizeof(A) == sizeof(B);

template <typename F, typename G>
constexpr bool kSame = false;
template <typename R, typename... A, typename S, typename... B>
requires(sizeof...(A) == sizeof...(B)) constexpr bool kSame<R (*)(A...), S (*)(B...)> = kAlike<R, S> &&
                                                                                        (kAlike<A, B> && ...);

#define CAVS_SAME(table, member, function) \
  static_assert(kSame<decltype(table::member), decltype(&function)>, #function " is declared otherwise")
CAVS_SAME(Driver, initialise, cuInit);
CAVS_SAME(Driver, error_name, cuGetErrorName);
CAVS_SAME(Driver, error_text, cuGetErrorString);
CAVS_SAME(Driver, version, cuDriverGetVersion);
CAVS_SAME(Driver, device_count, cuDeviceGetCount);
CAVS_SAME(Driver, device_get, cuDeviceGet);
CAVS_SAME(Driver, device_name, cuDeviceGetName);
CAVS_SAME(Driver, device_attribute, cuDeviceGetAttribute);
CAVS_SAME(Driver, retain_context, cuDevicePrimaryCtxRetain);
CAVS_SAME(Driver, release_context, cuDevicePrimaryCtxRelease);
CAVS_SAME(Driver, set_context, cuCtxSetCurrent);
CAVS_SAME(Driver, memory_info, cuMemGetInfo);
CAVS_SAME(Driver, allocate, cuMemAlloc);
CAVS_SAME(Driver, free, cuMemFree);
CAVS_SAME(Driver, allocate_host, cuMemHostAlloc);
CAVS_SAME(Driver, free_host, cuMemFreeHost);
CAVS_SAME(Driver, upload, cuMemcpyHtoDAsync);
CAVS_SAME(Driver, download, cuMemcpyDtoHAsync);
CAVS_SAME(Driver, copy, cuMemcpyDtoDAsync);
CAVS_SAME(Driver, fill, cuMemsetD32Async);
CAVS_SAME(Driver, create_stream, cuStreamCreateWithPriority);
CAVS_SAME(Driver, destroy_stream, cuStreamDestroy);
CAVS_SAME(Driver, synchronise, cuStreamSynchronize);
CAVS_SAME(Driver, wait_event, cuStreamWaitEvent);
CAVS_SAME(Driver, create_event, cuEventCreate);
CAVS_SAME(Driver, destroy_event, cuEventDestroy);
CAVS_SAME(Driver, record, cuEventRecord);
CAVS_SAME(Driver, synchronise_event, cuEventSynchronize);
CAVS_SAME(Driver, query_event, cuEventQuery);
CAVS_SAME(Driver, elapsed, cuEventElapsedTime);
CAVS_SAME(Driver, load_module, cuModuleLoadData);
CAVS_SAME(Driver, unload_module, cuModuleUnload);
CAVS_SAME(Driver, get_function, cuModuleGetFunction);
CAVS_SAME(Driver, set_function_attribute, cuFuncSetAttribute);
CAVS_SAME(Driver, active_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor);
CAVS_SAME(Driver, launch, cuLaunchCooperativeKernel);
CAVS_SAME(Driver, launch_by, cuLaunchKernelEx);
CAVS_SAME(Driver, begin_capture, cuStreamBeginCapture);
CAVS_SAME(Driver, end_capture, cuStreamEndCapture);
CAVS_SAME(Driver, instantiate, cuGraphInstantiateWithFlags);
CAVS_SAME(Driver, launch_graph, cuGraphLaunch);
CAVS_SAME(Driver, destroy_graph, cuGraphDestroy);
CAVS_SAME(Driver, destroy_graph_exec, cuGraphExecDestroy);
CAVS_SAME(Nvrtc, error_text, nvrtcGetErrorString);
CAVS_SAME(Nvrtc, version, nvrtcVersion);
CAVS_SAME(Nvrtc, architecture_count, nvrtcGetNumSupportedArchs);
CAVS_SAME(Nvrtc, architectures, nvrtcGetSupportedArchs);
CAVS_SAME(Nvrtc, create, nvrtcCreateProgram);
CAVS_SAME(Nvrtc, destroy, nvrtcDestroyProgram);
CAVS_SAME(Nvrtc, compile, nvrtcCompileProgram);
CAVS_SAME(Nvrtc, log_size, nvrtcGetProgramLogSize);
CAVS_SAME(Nvrtc, log, nvrtcGetProgramLog);
CAVS_SAME(Nvrtc, cubin_size, nvrtcGetCUBINSize);
CAVS_SAME(Nvrtc, cubin, nvrtcGetCUBIN);

static_assert(kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY && kNoDevice == CUDA_ERROR_NO_DEVICE &&
              kNotReady == CUDA_ERROR_NOT_READY && kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS &&
              kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED && kLaunchTooLarge == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE &&
              kUnavailable == CUDA_ERROR_DEVICE_UNAVAILABLE && kMemoryError == CUDA_ERROR_ECC_UNCORRECTABLE &&
              kLinkError == CUDA_ERROR_NVLINK_UNCORRECTABLE && kLaunchTimeout == CUDA_ERROR_LAUNCH_TIMEOUT &&
              kAssertion == CUDA_ERROR_ASSERT && kStackError == CUDA_ERROR_HARDWARE_STACK_ERROR &&
              kNvrtcCompilation == static_cast<int>(NVRTC_ERROR_COMPILATION));
static_assert(kMaxThreadsPerBlock == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK &&
              kProcessorCount == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT &&
              kComputeMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR &&
              kComputeMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR &&
              kCooperativeLaunch == CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH &&
              kMostSharedBytes == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(kMostDynamicShared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
              kThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && kNonBlocking == CU_STREAM_NON_BLOCKING &&
              kEventDefault == CU_EVENT_DEFAULT);

static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig) &&
              offsetof(LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes) &&
              offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream) &&
              offsetof(LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs) &&
              offsetof(LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute) &&
              offsetof(LaunchAttribute, number) == offsetof(CUlaunchAttribute, value) &&
              kBeginsEarly == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

#define CAVS_TEXT_OF(name) #name
#define CAVS_TEXT(name) CAVS_TEXT_OF(name)
/// Where a header renames a function, the renamed function is the one that the library opens.
TEST(BinaryInterface, MatchesTheHeaders) {
  EXPECT_STREQ(CAVS_TEXT(cuMemAlloc), "cuMemAlloc_v2");
  EXPECT_STREQ(CAVS_TEXT(cuMemFree), "cuMemFree_v2");
  EXPECT_STREQ(CAVS_TEXT(cuMemGetInfo), "cuMemGetInfo_v2");
  EXPECT_STREQ(CAVS_TEXT(cuMemcpyHtoDAsync), "cuMemcpyHtoDAsync_v2");
  EXPECT_STREQ(CAVS_TEXT(cuMemcpyDtoHAsync), "cuMemcpyDtoHAsync_v2");
  EXPECT_STREQ(CAVS_TEXT(cuMemcpyDtoDAsync), "cuMemcpyDtoDAsync_v2");
  EXPECT_STREQ(CAVS_TEXT(cuStreamBeginCapture), "cuStreamBeginCapture_v2");
  EXPECT_STREQ(CAVS_TEXT(cuStreamDestroy), "cuStreamDestroy_v2");
  EXPECT_STREQ(CAVS_TEXT(cuEventDestroy), "cuEventDestroy_v2");
  EXPECT_STREQ(CAVS_TEXT(cuDevicePrimaryCtxRelease), "cuDevicePrimaryCtxRelease_v2");
}

}  // namespace
}  // namespace cavs::cuda

#else

TEST(BinaryInterface, MatchesTheHeaders) { GTEST_SKIP() << "CUDA's headers are not installed"; }

#endif
