#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cavs/model.h"
#include "cavs/version.h"

namespace cavs::inline v0_1 {
struct Program;
}

namespace cavs {
inline namespace CAVS_API v0_1 {

struct CompileOptions {
  bool training = true;  // derives ∂F and keeps dropout
  bool dropout = true;   // false omits dropout even in training, for gradients of the function that inference computes
  bool pull_gradients = false;  // enables Run::pull_gradient
  bool push_gradients = false;  // lets backward accept gradients of pushes; always true without a loss
  bool loss = true;             // false computes only pushes, so the data need no labels
  // The push ports to compute; absent means all. Values that only other ports need are not computed, or not kept.
  std::optional<std::vector<std::string>> pushes = std::nullopt;
  std::vector<std::string> disabled_passes = {};  // passes to skip (listed in docs/how/compiler.md)
  bool operator==(const CompileOptions&) const = default;
};

/// Compiles a model. The result is immutable, and any number of sessions and threads may share it, on any devices: a
/// session whose engine uses other block sizes derives its own instructions from the program.
/// @throws UserError for a model without functions, an unknown pass or push port, or a gathered state that no function
/// scatters.
std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options = {});

/// A pass, or another optional action, of the compiler.
struct PassInfo {
  std::string name, doc;
  bool optional = false;  // true if CompileOptions::disabled_passes may name it
};
std::vector<PassInfo> compiler_passes();
/// The names that CompileOptions::disabled_passes may contain.
std::vector<std::string_view> optional_passes();
/// One line for each pass that changed this program.
std::vector<std::string> compiler_log(const Program& program);

/// The ports and states of a vertex function of a program.
struct FunctionPorts {
  struct Port {
    std::string name;
    int width = 0;
  };
  std::string function;
  std::vector<Port> pulls;           // float ports of vertices
  std::vector<Port> pushes, states;  // outputs; states: gathered by other vertices
  std::vector<Port> pull_gradients;  // ports of Run::pull_gradient
};
/// One element per vertex function, in order.
std::vector<FunctionPorts> function_ports(const Program& program);

/// A hash of everything that decides how vertices can be batched; equal for all sizes of a model.
std::uint64_t fingerprint(const Program& program);

}  // namespace v0_1
}  // namespace cavs
