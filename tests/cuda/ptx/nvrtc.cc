#include "cuda/ptx/nvrtc.h"

#include <dlfcn.h>

#include <optional>
#include <stdexcept>

#include "backend/cuda/compile_kernel.h"
#include "cavs/error.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace cavs::cuda {
namespace {

/// The table of NVRTC's functions that cavs uses, and functions that only tests use.
struct Library {
  std::optional<Nvrtc> nvrtc;
  NvrtcStatus (*ptx_size)(NvrtcProgram, std::size_t*) = nullptr;
  NvrtcStatus (*ptx)(NvrtcProgram, char*) = nullptr;
  std::string missing;

  Library() {
    try {
      nvrtc = open_nvrtc();
    } catch (const UserError& error) {
      missing = error.what();
      return;
    }
    void* const opened = nvrtc->library.get();
    ptx_size = reinterpret_cast<decltype(ptx_size)>(dlsym(opened, "nvrtcGetPTXSize"));
    ptx = reinterpret_cast<decltype(ptx)>(dlsym(opened, "nvrtcGetPTX"));
    if (ptx_size == nullptr || ptx == nullptr) missing = nvrtc->library_name + " makes no PTX";
  }
};

/// Returns NVRTC, which is never closed, because its data refer to memory that it allocates when it is loaded.
const Library& library() {
  static const Library* const kLibrary = new Library;
  return *kLibrary;
}

/// While an object exists, LeakSanitizer ignores allocations: NVRTC keeps memory until the process ends.
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
std::string text(NvrtcProgram program, Size size, Get get) {
  std::size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes == 0) return {};
  std::string found(bytes, '\0');
  get(program, found.data());
  return found;
}

}  // namespace

const std::string& TestNvrtc::missing() { return library().missing; }

Compiled TestNvrtc::compile(const KernelSource& source, const std::string& architecture,
                            const std::vector<std::string>& options) {
  const Nvrtc& nvrtc = *library().nvrtc;
  [[maybe_unused]] const LeaksAllowed allowed;
  NvrtcProgram program = nullptr;
  std::vector<const char*> texts, names;
  for (const SourceFile& file : source.files) {
    texts.push_back(file.text.c_str());
    names.push_back(file.name.c_str());
  }
  if (nvrtc.create(&program, source.text.c_str(), "kernel.cu", static_cast<int>(texts.size()), texts.data(),
                   names.data()) != 0)
    throw std::runtime_error("NVRTC does not take the source");
  const std::string target = "--gpu-architecture=" + architecture;
  std::vector<const char*> given{target.c_str()};
  for (const std::string& option : options) given.push_back(option.c_str());
  const NvrtcStatus status = nvrtc.compile(program, static_cast<int>(given.size()), given.data());
  Compiled made;
  made.log = text(program, nvrtc.log_size, nvrtc.log);
  if (status == 0) {
    made.ptx = text(program, library().ptx_size, library().ptx).c_str();  // c_str() drops the zero at the end
    made.cubin = text(program, nvrtc.cubin_size, nvrtc.cubin);
  }
  nvrtc.destroy(&program);
  if (status != 0) throw std::runtime_error("NVRTC for " + architecture + ": " + made.log.substr(0, 4000));
  return made;
}

}  // namespace cavs::cuda
