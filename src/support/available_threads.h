#pragma once

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace cavs::inline v0_1 {

/// Returns the number of processors on which this process may run (taskset, cpusets).
inline int processors() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Returns the quota of a control group in processors, rounded up; 0 if it has no quota. `path` is the folder of the
/// group, in either version of Linux's control groups.
inline int quota_of(const std::string& path) {
  const auto numbers_in = [](const std::string& file, double& first, double& second) {
    std::ifstream in(file);
    std::string word;
    if (!(in >> word) || word == "max") return false;
    first = std::strtod(word.c_str(), nullptr);
    return !(in >> second) || second > 0;
  };
  double quota = 0, period = 0;
  if (!numbers_in(path + "/cpu.max", quota, period)) {
    double none = 0;
    if (!numbers_in(path + "/cpu.cfs_quota_us", quota, none) || !numbers_in(path + "/cpu.cfs_period_us", period, none))
      return 0;
  }
  return quota > 0 && period > 0 ? static_cast<int>(std::min(1e6, (quota + period - 1) / period)) : 0;
}

/// Returns the default number of threads: the number of processors, or less if the control group of this process, or a
/// group above it, has a smaller quota. @param proc, groups  paths of the files of Linux; for tests
inline int available_threads(const std::string& proc = "/proc/self/cgroup",
                             const std::string& groups = "/sys/fs/cgroup") {
  int threads = processors();
  std::ifstream in(proc);
  for (std::string line; std::getline(in, line);) {
    // A line is "0::/path" (version 2), or "4:cpu,cpuacct:/path" (version 1, whose files are in groups/cpu/path).
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    const std::string root = groups + (controllers.empty() ? "" : "/cpu");
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      if (const int quota = quota_of(root + path); quota > 0) threads = std::min(threads, quota);
      if (path.empty() || path.find('/') == path.npos) break;
    }
  }
  return std::max(1, threads);
}

}  // namespace cavs::inline v0_1
