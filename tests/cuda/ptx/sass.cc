#include "cuda/ptx/sass.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace cavs::cuda {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const out = popen(command.c_str(), "r");
  if (out == nullptr) throw std::runtime_error("cannot run " + command);
  char part[4096];
  for (std::size_t n = 0; (n = fread(part, 1, sizeof part, out)) > 0;) text.append(part, n);
  if (pclose(out) != 0) throw std::runtime_error(command + " fails");
  return text;
}

/// Returns the path of nvdisasm; empty if there is none.
const std::string& nvdisasm() {
  static const std::string kFound = [] {
    const char* const home = std::getenv("CUDA_HOME");
    for (const std::string& command :
         {std::string(home != nullptr ? home : "/usr/local/cuda") + "/bin/nvdisasm", std::string("nvdisasm")})
      if (std::system((command + " --version > /dev/null 2>&1").c_str()) == 0) return command;
    return std::string();
  }();
  return kFound;
}

bool is_end_of_prologue(const SassInstruction& i) { return i.is("STG") || i.is("BAR") || i.is("ST"); }

}  // namespace

bool SassInstruction::is(std::string_view name) const {
  return opcode.starts_with(name) && (opcode.size() == name.size() || opcode[name.size()] == '.');
}

const std::string& missing_nvdisasm() {
  static const std::string kMissing =
      nvdisasm().empty()
          ? "no nvdisasm in $CUDA_HOME/bin, /usr/local/cuda/bin or the PATH, so machine code is not read; "
            "install the CUDA toolkit, or PyPI's nvidia-cuda-nvdisasm"
          : "";
  return kMissing;
}

std::vector<SassInstruction> disassemble(const std::string& cubin) {
  std::string file = (std::filesystem::temp_directory_path() / "cavs-cubin-XXXXXX").string();
  const int descriptor = mkstemp(file.data());
  if (descriptor < 0) throw std::runtime_error("no temporary file for a cubin");
  std::ofstream(file, std::ios::binary) << cubin;
  std::string text;
  try {
    text = output_of(nvdisasm() + " -c " + file);
  } catch (...) {
    std::filesystem::remove(file);
    throw;
  }
  std::filesystem::remove(file);
  static const std::regex kLabel(R"(^(\.L_x_\d+):)"),
      kInstruction(R"(^\s*/\*([0-9a-f]+)\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*?);)"),
      kTarget(R"(`\((\.L_x_\d+)\))");
  std::vector<SassInstruction> code;
  std::map<std::string, std::size_t> labels;
  std::vector<std::pair<std::size_t, std::string>> branches;
  std::istringstream lines(text);
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, found, kLabel)) {
      labels[found[1]] = code.size();
    } else if (std::regex_search(line, found, kInstruction)) {
      code.push_back({std::stoll(found[1], nullptr, 16), found[2]});
      const std::string operands = found[3];
      if (code.back().is("BRA") && std::regex_search(operands, found, kTarget))
        branches.emplace_back(code.size() - 1, found[1]);
    }
  }
  for (const auto& [number, label] : branches)
    if (labels.contains(label) && labels[label] < code.size()) code[number].target = code[labels[label]].address;
  return code;
}

SassCounts count(const SassInstruction* begin, const SassInstruction* end) {
  SassCounts counts;
  for (const SassInstruction* i = begin; i != end; ++i) {
    ++counts.all;
    counts.multiply_adds += i->is("FFMA") ? 1 : 0;
    counts.shuffles += i->is("SHFL") ? 1 : 0;
    counts.loads += i->is("LDG") || i->is("LD") ? 1 : 0;
    counts.stores += i->is("STG") || i->is("ST") ? 1 : 0;
    counts.local += i->is("LDL") || i->is("STL") ? 1 : 0;
  }
  return counts;
}

SassCounts count(const std::vector<SassInstruction>& code) { return count(code.data(), code.data() + code.size()); }

int weight_loads(const std::vector<SassInstruction>& code) {
  const auto end = std::ranges::find_if(code, is_end_of_prologue);
  return static_cast<int>(
      std::count_if(code.begin(), end, [](const SassInstruction& i) { return i.opcode == "LDG.E"; }));
}

std::vector<SassCounts> innermost_loops(const std::vector<SassInstruction>& code) {
  // Code after the last EXIT is for divergent lanes and jumps back into loops, so it is ignored.
  const auto exit = std::find_if(code.rbegin(), code.rend(), [](const SassInstruction& i) { return i.is("EXIT"); });
  const std::int64_t last = exit == code.rend() ? 0 : exit->address;
  std::map<std::int64_t, std::int64_t> ends;  // first address of a loop -> address of the last branch back to it
  for (const SassInstruction& i : code)
    if (i.target >= 0 && i.target < i.address && i.address < last) ends[i.target] = std::max(ends[i.target], i.address);
  std::vector<SassCounts> loops;
  for (const auto& [begin, end] : ends) {
    const auto next = ends.upper_bound(begin);
    if (next != ends.end() && next->first <= end) continue;  // this loop contains another loop
    const auto at = [&](std::int64_t address) {
      return std::ranges::lower_bound(code, address, {}, &SassInstruction::address);
    };
    loops.push_back(count(&*at(begin), &*at(end) + 1));
  }
  return loops;
}

}  // namespace cavs::cuda
