#include "backend/cuda/kernel_cache.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cavs/error.h"
#include "cuda/standin/stand_in.h"

namespace cavs::cuda {
namespace {

Cubin some_cubin() { return {{std::byte{1}, std::byte{2}, std::byte{3}}, {255, 0, 8}}; }

class KernelCaches : public testing::Test {
 protected:
  KernelCaches() { std::filesystem::remove_all(directory); }
  ~KernelCaches() override { std::filesystem::remove_all(directory); }

  std::string directory = testing::TempDir() + "cavs-kernels/" + std::to_string(getpid());
  KernelCache cache{directory};
};

TEST_F(KernelCaches, FindTheirKernels) {
  EXPECT_FALSE(cache.find("source", "13.0"));
  cache.keep("source", "13.0", some_cubin());
  const auto found = cache.find("source", "13.0");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, some_cubin().bytes);
  EXPECT_EQ(found->resources, some_cubin().resources);
  EXPECT_FALSE(cache.find("another source", "13.0"));
  EXPECT_FALSE(cache.find("source", "13.1"));
  EXPECT_TRUE(cache.find("source", "")) << "found without a compiler, too";
}

/// Otherwise two texts with one fingerprint would be confused.
TEST_F(KernelCaches, CompareTheWholeSource) {
  cache.keep("source", "13.0", some_cubin());
  std::filesystem::rename(cache.path("source"), cache.path("SOURCE"));
  EXPECT_FALSE(cache.find("SOURCE", "13.0"));
}

TEST_F(KernelCaches, IgnoreDamagedFiles) {
  cache.keep("source", "13.0", some_cubin());
  std::ifstream in(cache.path("source"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  const auto write = [&](const std::string& bytes) { std::ofstream(cache.path("source"), std::ios::binary) << bytes; };
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(whole.substr(0, length));
    EXPECT_FALSE(cache.find("source", "13.0")) << length;
  }
  write(whole + "x");
  EXPECT_FALSE(cache.find("source", "13.0"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write(changed);
    const auto found = cache.find("source", "13.0");
    EXPECT_TRUE(!found || (found->bytes == some_cubin().bytes && found->resources == some_cubin().resources)) << at;
  }
  cache.keep("source", "13.0", some_cubin());
  EXPECT_TRUE(cache.find("source", "13.0"));
}

TEST_F(KernelCaches, MayBeReadOnly) {
  const KernelCache nowhere("/proc/cavs"), off("");
  for (const KernelCache& each : {nowhere, off}) {
    each.keep("source", "13.0", some_cubin());
    EXPECT_FALSE(each.find("source", "13.0"));
  }
}

TEST_F(KernelCaches, UseTheFolderOfTheEnvironment) {
  const Variable home("HOME", "/home/someone");
  {
    const Variable given("CAVS_CUDA_CACHE", ""), caches("XDG_CACHE_HOME", "");
    EXPECT_EQ(KernelCache::of_environment().directory(), "/home/someone/.cache/cavs/cuda");
  }
  const Variable caches("XDG_CACHE_HOME", "/caches");
  {
    const Variable given("CAVS_CUDA_CACHE", "");
    EXPECT_EQ(KernelCache::of_environment().directory(), "/caches/cavs/cuda");
  }
  {
    const Variable given("CAVS_CUDA_CACHE", "/kernels");
    EXPECT_EQ(KernelCache::of_environment().directory(), "/kernels");
  }
  const Variable given("CAVS_CUDA_CACHE", "off");
  EXPECT_EQ(KernelCache::of_environment().directory(), "");
}

/// The log of NVRTC in CUDA 13.
TEST(Resources, AreReadFromTheLog) {
  EXPECT_EQ(resources_in("ptxas info    : 0 bytes gmem\n"
                         "ptxas info    : Compiling entry function 'cavs_persistent' for 'sm_90'\n"
                         "ptxas info    : Function properties for cavs_persistent\n"
                         "    32 bytes stack frame, 28 bytes spill stores, 24 bytes spill loads\n"
                         "ptxas info    : Used 255 registers, used 1 barriers, 32 bytes cumulative stack size\n"),
            (KernelResources{255, 32, 28}));
  EXPECT_THROW(resources_in("nothing"), InternalError);
}

class Compilers : public StandInTest {};

TEST_F(Compilers, CompileOnce) {
  const KernelCache cache(testing::TempDir() + "cavs-compilers-" + std::to_string(getpid()));
  std::filesystem::remove_all(cache.directory());
  const KernelSource source{
      "#include \"arguments.cuh\"\nCAVS_KERNEL(64) cavs_persistent(cavs::cuda::KernelArguments) {}\n",
      {{"arguments.cuh", "namespace cavs::cuda { struct KernelArguments {}; }\n"}}};
  KernelCompiler first(cache), second(cache);
  const Cubin made = first.compile(source, 90, {}), found = second.compile(source, 90, {});
  EXPECT_EQ(made.bytes, found.bytes);
  EXPECT_EQ(first.compiled(), 1);
  EXPECT_EQ(second.compiled(), 0);
  EXPECT_EQ(second.cached(), 1);
  {
    const Variable none("CAVS_NVRTC", "/nowhere");
    KernelCompiler without(cache);
    EXPECT_EQ(without.compile(source, 90, {}).bytes, made.bytes);
    EXPECT_THROW(without.compile(source, 80, {}), UserError);
  }
  KernelCompiler third(cache);
  KernelSource changed = source;
  changed.files[0].text += "// more\n";
  third.compile(changed, 90, {});
  EXPECT_EQ(third.compiled(), 1) << "included files are part of a kernel";
  EXPECT_THAT([&] { third.compile({"no C++"}, 90, {}); },
              testing::ThrowsMessage<InternalError>(testing::HasSubstr("a generated kernel does not compile")));
  std::filesystem::remove_all(cache.directory());
}

}  // namespace
}  // namespace cavs::cuda
