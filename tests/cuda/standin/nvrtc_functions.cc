// NVRTC's functions in the stand-in, which run the compiler of the tests. A "cubin" is a shared library whose kernels
// run on fibers (emulated CUDA threads).

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "cuda/fibers/source_folder.h"
#include "cuda/standin/device_model.h"

using namespace cavs::cuda;  // NOLINT: all names are NVRTC's

namespace cavs::cuda {

struct ProgramOf {
  KernelSource source;
  std::string log;
  std::vector<char> cubin;
};

}  // namespace cavs::cuda

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return (std::stringstream() << in.rdbuf()).str();
}

/// Returns the properties of a kernel. It needs a fixed number of registers, and one per weight that a lane keeps.
CubinTrailer trailer_of(const std::string& source, int compute) {
  CubinTrailer trailer;
  trailer.compute = compute;
  std::smatch found;
  if (std::regex_search(source, found, std::regex("CAVS_KERNEL\\((\\d+)\\)"))) trailer.threads = std::stoi(found[1]);
  if (std::regex_search(source, found, std::regex("kBlockMemoryBytes = (\\d+)")))
    trailer.static_shared = std::stoi(found[1]);
  int wanted = 40;
  const std::regex tile("Tile<(\\d+), (\\d+), (\\d+)>");
  for (std::sregex_iterator at(source.begin(), source.end(), tile), end; at != end; ++at)
    wanted += std::stoi((*at)[1]) * std::stoi((*at)[3]);
  const int most = StandIn::of_environment().registers;
  trailer.registers = std::min(wanted, most);
  trailer.local_bytes = 4 * (wanted - trailer.registers);
  return trailer;
}

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(NvrtcStatus status) { return status == 0 ? "no error" : "an error of the stand-in"; }
/// Returns the version. A copy of this library that is named libnvrtc.so.12 reports CUDA 12.
NvrtcStatus nvrtcVersion(int* major, int* minor) {
  Dl_info found{};
  dladdr(reinterpret_cast<void*>(&nvrtcVersion), &found);
  const std::string name = found.dli_fname;
  *major = name.ends_with(".12") ? 12 : name.ends_with(".13") ? 13 : 99;
  *minor = 1;
  return 0;
}
NvrtcStatus nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return 0;
}
NvrtcStatus nvrtcGetSupportedArchs(int* numbers) {
  numbers[0] = 80;
  numbers[1] = 90;
  return 0;
}
NvrtcStatus nvrtcCreateProgram(NvrtcProgram* program, const char* source, const char*, int count,
                               const char* const* texts, const char* const* names) {
  *program = new ProgramOf{{source}, "", {}};
  for (int k = 0; k < count; ++k) (*program)->source.files.push_back({names[k], texts[k]});
  return 0;
}
NvrtcStatus nvrtcDestroyProgram(NvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return 0;
}

NvrtcStatus nvrtcCompileProgram(NvrtcProgram program, int count, const char* const* options) {
  int compute = 0;
  for (int k = 0; k < count; ++k)
    if (const std::string option = options[k]; option.starts_with("-arch=sm_")) compute = std::stoi(option.substr(9));
  std::string folder = (std::filesystem::temp_directory_path() / "cavs-nvrtc-XXXXXX").string();
  if (compute == 0 || mkdtemp(folder.data()) == nullptr) return 3;
  const std::filesystem::path at = folder;
  write_source(at, program->source);
  const std::string command =
      "cd " + folder + " && " CAVS_FIBER_COMPILER " -I. -x c++ -shared -o kernel.so kernel.cc > log 2>&1";
  const bool compiled = std::system(command.c_str()) == 0;
  program->log = text_of(at / "log");
  const std::string library = text_of(at / "kernel.so");
  std::filesystem::remove_all(at);
  if (!compiled) return kNvrtcCompilation;
  const CubinTrailer trailer = trailer_of(program->source.all(), compute);
  program->cubin.assign(library.begin(), library.end());
  const char* const end = reinterpret_cast<const char*>(&trailer);
  program->cubin.insert(program->cubin.end(), end, end + sizeof trailer);
  program->log += "ptxas info    : Compiling entry function 'cavs_persistent' for 'sm_" + std::to_string(compute) +
                  "'\nptxas info    : Function properties for cavs_persistent\n    " +
                  std::to_string(trailer.local_bytes) + " bytes stack frame, " + std::to_string(trailer.local_bytes) +
                  " bytes spill stores, 0 bytes spill loads\nptxas info    : Used " +
                  std::to_string(trailer.registers) + " registers, used 1 barriers\n";
  return 0;
}

NvrtcStatus nvrtcGetProgramLogSize(NvrtcProgram program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return 0;
}
NvrtcStatus nvrtcGetProgramLog(NvrtcProgram program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return 0;
}
NvrtcStatus nvrtcGetCUBINSize(NvrtcProgram program, std::size_t* bytes) {
  *bytes = program->cubin.size();
  return 0;
}
NvrtcStatus nvrtcGetCUBIN(NvrtcProgram program, char* cubin) {
  std::ranges::copy(program->cubin, cubin);
  return 0;
}

}  // extern "C"
