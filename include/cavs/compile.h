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
  bool training = true;         // derive ∂F and keep dropout
  bool dropout = true;          // false: leave dropout out in training, too; for gradients of what inference computes
  bool pull_gradients = false;  // make Run::pull_gradient available
  bool push_gradients = false;  // let backward accept gradients of pushes; a model without a loss always does
  bool loss = true;             // false: compute only pushes, so that the data need no labels
  // The push ports that are computed. Values that only other ports need are not computed, or not kept. Absent: all.
  std::optional<std::vector<std::string>> pushes = std::nullopt;
  std::vector<std::string> disabled_passes = {};  // names of passes to leave out (docs/how/compiler.md lists them)
  bool operator==(const CompileOptions&) const = default;
};

/// Compiles a model. The result is immutable and shared by any number of sessions and threads, whatever their devices:
/// a session whose engine works by blocks of other sizes makes instructions of its own from it.
/// @throws UserError for a model without functions, an unknown pass or push port, or a state that is gathered, but that
/// no function scatters.
std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options = {});

/// A pass of the compiler, or something else that it does.
struct PassInfo {
  std::string name, doc;
  bool optional = false;  // CompileOptions::disabled_passes may name it
};
std::vector<PassInfo> compiler_passes();
/// The names that CompileOptions::disabled_passes may hold.
std::vector<std::string_view> optional_passes();
/// A line for each pass that did something to this program.
std::vector<std::string> compiler_log(const Program& program);

/// The names by which a vertex function of a program reads and gives values.
struct FunctionPorts {
  struct Port {
    std::string name;
    int width = 0;
  };
  std::string function;
  std::vector<Port> pulls;           // float ports of vertices
  std::vector<Port> pushes, states;  // that it gives; states: for others to gather
  std::vector<Port> pull_gradients;  // that Run::pull_gradient has
};
/// One for each vertex function, in their order.
std::vector<FunctionPorts> function_ports(const Program& program);

/// A hash of what decides how vertices can be batched: the same for all sizes of a model.
std::uint64_t fingerprint(const Program& program);

}  // namespace v0_1
}  // namespace cavs
