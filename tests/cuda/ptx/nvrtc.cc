#include "cuda/ptx/nvrtc.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace cavs::cuda {
namespace {

using Handle = void*;  // nvrtcProgram
using Status = int;    // nvrtcResult; 0 is success

/// The functions of libnvrtc that are used, see nvrtc.h of the toolkit.
struct Library {
  Status (*version)(int*, int*) = nullptr;
  Status (*create)(Handle*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  Status (*destroy)(Handle*) = nullptr;
  Status (*compile)(Handle, int, const char* const*) = nullptr;
  Status (*ptx_size)(Handle, std::size_t*) = nullptr;
  Status (*ptx)(Handle, char*) = nullptr;
  Status (*cubin_size)(Handle, std::size_t*) = nullptr;
  Status (*cubin)(Handle, char*) = nullptr;
  Status (*log_size)(Handle, std::size_t*) = nullptr;
  Status (*log)(Handle, char*) = nullptr;
  std::string missing;

  Library() {
    std::vector<std::string> folders;
    if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/lib64/");
    folders.insert(folders.end(), {"/usr/local/cuda/lib64/", ""});
    void* library = nullptr;
    for (const std::string& folder : folders)
      for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"})
        if (library == nullptr) library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      missing =
          "no libnvrtc.so in $CUDA_HOME/lib64, /usr/local/cuda/lib64 or the loader's path; install the CUDA toolkit, "
          "or PyPI's nvidia-cuda-nvrtc and set LD_LIBRARY_PATH to its lib folder";
      return;
    }
    find(library, version, "nvrtcVersion");
    find(library, create, "nvrtcCreateProgram");
    find(library, destroy, "nvrtcDestroyProgram");
    find(library, compile, "nvrtcCompileProgram");
    find(library, ptx_size, "nvrtcGetPTXSize");
    find(library, ptx, "nvrtcGetPTX");
    find(library, cubin_size, "nvrtcGetCUBINSize");
    find(library, cubin, "nvrtcGetCUBIN");
    find(library, log_size, "nvrtcGetProgramLogSize");
    find(library, log, "nvrtcGetProgramLog");
  }

  template <typename F>
  void find(void* library, F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (function == nullptr) missing = std::string("libnvrtc.so has no ") + name + "; install CUDA 12 or later";
  }
};

const Library& library() {
  static const Library kLibrary;
  return kLibrary;
}

/// What NVRTC keeps to the end of the process is no leak of ours.
struct LeaksAllowed {
#if defined(__SANITIZE_ADDRESS__)
  LeaksAllowed() { __lsan_disable(); }
  ~LeaksAllowed() { __lsan_enable(); }
#else
  LeaksAllowed() = default;
#endif
  LeaksAllowed(const LeaksAllowed&) = delete;
};

template <typename Size, typename Get>
std::string text(Handle program, Size size, Get get) {
  std::size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes == 0) return {};
  std::string found(bytes, '\0');
  get(program, found.data());
  return found;
}

}  // namespace

const std::string& Nvrtc::missing() { return library().missing; }

std::string Nvrtc::version() {
  int major = 0, minor = 0;
  library().version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

Compiled Nvrtc::compile(const std::string& source, const std::string& architecture,
                        const std::vector<std::string>& options) {
  const Library& nvrtc = library();
  [[maybe_unused]] const LeaksAllowed allowed;
  Handle program = nullptr;
  if (nvrtc.create(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0)
    throw std::runtime_error("NVRTC does not take the source");
  const std::string target = "--gpu-architecture=" + architecture;
  std::vector<const char*> given{target.c_str()};
  for (const std::string& option : options) given.push_back(option.c_str());
  const Status status = nvrtc.compile(program, static_cast<int>(given.size()), given.data());
  Compiled made;
  made.log = text(program, nvrtc.log_size, nvrtc.log);
  if (status == 0) {
    made.ptx = text(program, nvrtc.ptx_size, nvrtc.ptx).c_str();  // without the zero at its end
    made.cubin = text(program, nvrtc.cubin_size, nvrtc.cubin);
  }
  nvrtc.destroy(&program);
  if (status != 0) throw std::runtime_error("NVRTC for " + architecture + ": " + made.log.substr(0, 4000));
  return made;
}

}  // namespace cavs::cuda
