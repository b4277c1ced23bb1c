// GPUs that are not there, or not as they must be, among the bad inputs of docs/bad-input.md. Tests have a stand-in for
// a GPU, which is as CAVS_STANDIN says.
#include <cstdlib>
#include <map>

#include "bad_input.h"

namespace cavs::testing {
namespace {

constexpr const char* kTrees = "train tree-lstm --data listops:train=8,test=0,length=9 --hidden 4 --embedding 4 ";

/// Variables of the environment as long as it lives.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) {
      const char* const before = std::getenv(name.c_str());
      if (before != nullptr) before_[name] = before;
      setenv(name.c_str(), value.c_str(), 1);
      names_.push_back(name);
    }
  }
  ~Environment() {
    for (const std::string& name : names_)
      before_.contains(name) ? setenv(name.c_str(), before_[name].c_str(), 1) : unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::string> before_;
};

}  // namespace

Section bad_devices(const Workplace& place) {
  Section section{"A GPU", {}};
  /// @param name, value  of one variable besides those that find the stand-in
  const auto with = [&](const char* what, const std::string& name, const std::string& value,
                        const std::string& options = "") {
    section.cases.push_back({what,
                             (name == "CAVS_STANDIN" ? "" : name + "=" + value + " ") +
                                 "cavs train tree-lstm ... --device cuda" + (options.empty() ? "" : " " + options),
                             1, [=, &place] {
                               std::map<std::string, std::string> variables{{"CAVS_CUDA_DRIVER", CAVS_CUDA_STANDIN},
                                                                            {"CAVS_NVRTC", CAVS_CUDA_STANDIN},
                                                                            {"CAVS_CUDA_CACHE", place.path("kernels")}};
                               variables[name] = value;
                               const Environment environment(variables);
                               return place.run(kTrees + ("--device cuda " + options));
                             }});
  };
  with("no driver", "CAVS_CUDA_DRIVER", "missing/libcuda.so.1");
  with("a driver that is none", "CAVS_CUDA_DRIVER", "libm.so.6");
  with("no compiler of kernels", "CAVS_NVRTC", "missing/libnvrtc.so");
  with("a driver without a GPU", "CAVS_STANDIN", "devices=0");
  with("a GPU that is too old", "CAVS_STANDIN", "compute=75");
  with("a GPU that is too new for NVRTC", "CAVS_STANDIN", "compute=120");
  with("a GPU whose blocks cannot wait for each other", "CAVS_STANDIN", "cooperative=0");
  with("a GPU with too little memory for the parameters", "CAVS_STANDIN", "memory=5000");
  with("a GPU with too little memory for a minibatch", "CAVS_STANDIN", "memory=24000");
  with("a kernel that breaks off", "CAVS_STANDIN", "fail_launch=1");
  with("an engine that a GPU does not have", "CAVS_STANDIN", "", "--engine batched");
  section.cases.push_back({"unknown device", "cavs train tree-lstm --device gpu", 2,
                           [&place] { return place.run("train tree-lstm --device gpu"); }});
  section.cases.push_back({"a measurement of the CPU, on a GPU", "cavs bench tree-fc --ablate --device cuda", 2,
                           [&place] { return place.run("bench tree-fc --ablate --device cuda"); }});
  section.cases.push_back({"a prompt that is continued on a GPU", "cavs predict lm.cavs --device cuda", 1, [&place] {
                             place.write("lm.txt", "a b a b a b\na b\nb a b a\n");
                             place.run(
                                 "train var-lstm --data text:train=lm.txt --hidden 4 --embedding 4 --epochs 1 --save "
                                 "lm.cavs --overwrite");
                             return place.run("predict lm.cavs --device cuda", "a b\n");
                           }});
  return section;
}

}  // namespace cavs::testing
