#include "backend/cuda/compile_kernel.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "support/check.h"

namespace cavs::cuda {
namespace {

void check(const Nvrtc& nvrtc, NvrtcStatus status, const char* call) {
  user_check(status == 0, "NVRTC ({}) failed: {}: {}; see docs/guide/gpu.md", nvrtc.library_name, call,
             nvrtc.error_text(status));
}

/// An NVRTC program, which is destroyed at the end of this object's lifetime.
class Compilation {
 public:
  Compilation(const Nvrtc& nvrtc, const KernelSource& source) : nvrtc_(nvrtc) {
    std::vector<const char*> texts, names;
    for (const SourceFile& file : source.files) {
      texts.push_back(file.text.c_str());
      names.push_back(file.name.c_str());
    }
    check(nvrtc,
          nvrtc.create(&program_, source.text.c_str(), "cavs_kernel.cu", static_cast<int>(texts.size()), texts.data(),
                       names.data()),
          "nvrtcCreateProgram");
  }
  ~Compilation() { nvrtc_.destroy(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  NvrtcStatus run(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());
    return nvrtc_.compile(program_, static_cast<int>(texts.size()), texts.data());
  }
  std::string log() const {
    std::size_t bytes = 0;
    check(nvrtc_, nvrtc_.log_size(program_, &bytes), "nvrtcGetProgramLogSize");
    std::string text(bytes, '\0');
    if (bytes > 0) check(nvrtc_, nvrtc_.log(program_, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }
  std::vector<std::byte> cubin() const {
    std::size_t bytes = 0;
    check(nvrtc_, nvrtc_.cubin_size(program_, &bytes), "nvrtcGetCUBINSize");
    std::vector<std::byte> code(bytes);
    check(nvrtc_, nvrtc_.cubin(program_, reinterpret_cast<char*>(code.data())), "nvrtcGetCUBIN");
    return code;
  }

 private:
  const Nvrtc& nvrtc_;
  NvrtcProgram program_ = nullptr;
};

/// Returns the number just before `unit`, the largest one if `unit` occurs several times; nullopt if it does not.
std::optional<std::int32_t> number_before(std::string_view text, std::string_view unit) {
  std::optional<std::int32_t> most;
  for (std::size_t at = text.find(unit); at != std::string_view::npos; at = text.find(unit, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
    std::int32_t number = 0;
    if (std::from_chars(text.data() + begin, text.data() + at, number).ptr != text.data() + at || begin == at) continue;
    most = std::max(most.value_or(number), number);
  }
  return most;
}

void check_architecture(const Nvrtc& nvrtc, int compute) {
  int count = 0;
  check(nvrtc, nvrtc.architecture_count(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(count));
  check(nvrtc, nvrtc.architectures(known.data()), "nvrtcGetSupportedArchs");
  user_check(
      std::ranges::find(known, compute) != known.end(),
      "the GPU's architecture is sm_{}, which NVRTC {} does not support (it supports sm_{}); use the NVRTC of {} "
      "CUDA (CAVS_NVRTC names a library), or device cpu",
      compute, version_of(nvrtc), fmt::join(known, ", sm_"),
      !known.empty() && compute < known.front() ? "an older" : "a newer");
}

}  // namespace

std::string version_of(const Nvrtc& nvrtc) {
  int major = 0, minor = 0;
  check(nvrtc, nvrtc.version(&major, &minor), "nvrtcVersion");
  return fmt::format("{}.{}", major, minor);
}

KernelResources resources_in(const std::string& log) {
  const auto registers = number_before(log, " registers");
  const auto stack = number_before(log, " bytes stack frame"), spilled = number_before(log, " bytes spill stores");
  if (!registers || !stack || !spilled)
    throw InternalError(
        fmt::format("NVRTC's log does not contain the kernel's resources; please report this:\n{}", log));
  return {*registers, *stack, *spilled};
}

Cubin compile_kernel(const Nvrtc& nvrtc, const KernelSource& source, int compute,
                     const std::vector<std::string>& options) {
  check_architecture(nvrtc, compute);
  Compilation compilation(nvrtc, source);
  std::vector<std::string> all{fmt::format("-arch=sm_{}", compute), "-Xptxas=-v"};
  all.insert(all.end(), options.begin(), options.end());
  const NvrtcStatus status = compilation.run(all);
  const std::string log = compilation.log();
  if (status == kNvrtcCompilation)
    throw InternalError(fmt::format("a generated kernel does not compile (NVRTC {}, sm_{}); please report this:\n{}",
                                    version_of(nvrtc), compute, log.substr(0, 4000)));
  check(nvrtc, status, "nvrtcCompileProgram");
  return {compilation.cubin(), resources_in(log)};
}

}  // namespace cavs::cuda
