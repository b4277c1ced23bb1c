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
  bool training = true;         // true to derive the backward program ∂F, and to keep dropout
  bool dropout = true;          // false to omit dropout also in training, so that gradients are those of inference
  bool pull_gradients = false;  // true to enable Run::pull_gradient
  bool push_gradients = false;  // true if Run::backward gets gradients of push ports; always true without a loss
  bool loss = true;             // false to compute only pushes, so that the data need no labels
  // The push ports to compute; absent means all. Values that only other push ports need are not computed or not kept.
  std::optional<std::vector<std::string>> pushes = std::nullopt;
  std::vector<std::string> disabled_passes = {};  // passes to skip (listed in docs/how/compiler.md)
  bool operator==(const CompileOptions&) const = default;
};

/// Compiles a model. The result is immutable. Any number of sessions and threads may share it, on any devices, because
/// a session whose engine needs other block sizes than the program has derives its own instructions from the program.
/// @throws UserError for a model without functions, an unknown pass or push port, or a gathered state that no function
/// scatters.
std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options = {});

/// A pass of the compiler, or another action of it that can be disabled.
struct PassInfo {
  std::string name, doc;
  bool optional = false;  // true if CompileOptions::disabled_passes may contain it
};
std::vector<PassInfo> compiler_passes();
/// The names that CompileOptions::disabled_passes may contain.
std::vector<std::string_view> optional_passes();
/// Returns one line for each pass that changed this program.
std::vector<std::string> compiler_log(const Program& program);

/// The ports and states of a vertex function of a program.
struct FunctionPorts {
  struct Port {
    std::string name;
    int width = 0;  // numbers per row
  };
  std::string function;
  std::vector<Port> pulls;           // float ports of vertices that the function reads
  std::vector<Port> pushes, states;  // push ports that it writes; states that it scatters
  std::vector<Port> pull_gradients;  // pull ports for which Run::pull_gradient returns a gradient
};
/// Returns one element per vertex function, in order.
std::vector<FunctionPorts> function_ports(const Program& program);

/// Returns a hash of all properties of the program that decide how vertices can be batched, without the model's sizes.
std::uint64_t fingerprint(const Program& program);

}  // namespace v0_1
}  // namespace cavs
