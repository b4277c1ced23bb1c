#pragma once

#include <regex>
#include <string>
#include <vector>

#include "backend/cuda/device_files.h"

namespace cavs::cuda {

/// A kernel's text without one of the calls that make threads or processors wait.
struct TextMutant {
  std::string what;  // the line and the line before it
  KernelSource source;
};

/// Removes each call of sync, sync_warp, wait and meet in turn, in all files that the text may include.
/// @param of_others  folder of files that the text does not include
inline std::vector<TextMutant> without_each_barrier(const KernelSource& source, const std::string& of_others) {
  static const std::regex kCall(R"(\b(sync\(\)|sync_warp\(\)|wait\(a, entry\)|meet\(a, meetings\));)");
  std::vector<TextMutant> mutants;
  for (std::size_t f = 0; f < source.files.size(); ++f) {
    const std::string& text = source.files[f].text;
    if (source.files[f].name.find(of_others) != std::string::npos) continue;
    for (std::sregex_iterator at(text.begin(), text.end(), kCall), end; at != end; ++at) {
      const auto position = static_cast<std::size_t>(at->position());
      const std::size_t before = text.rfind('\n', text.rfind('\n', position) - 1) + 1;
      TextMutant mutant{text.substr(before, text.find('\n', position) - before), source};
      const bool is_meeting = at->str().starts_with("meet");
      mutant.source.files[f].text.replace(position, static_cast<std::size_t>(at->length()),
                                          is_meeting ? "static_cast<void>(meetings);" : "{}");
      mutants.push_back(std::move(mutant));
    }
  }
  return mutants;
}

}  // namespace cavs::cuda
