#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cavs/model.h"

namespace cavs {

struct Program;

struct CompileOptions {
  bool training = true;         // derive ∂F and keep dropout
  bool pull_gradients = false;  // make Run::pull_gradient available
  bool push_gradients = false;  // backward accepts gradients of pushes; always so if there is no loss
  bool loss = true;             // false: only pushes are computed, and labels need not be in the data
  // Push ports to compute; what only other ports need is not computed or not kept. Absent: all.
  std::optional<std::vector<std::string>> pushes = std::nullopt;
  std::vector<std::string> disabled_passes = {};  // see `cavs inspect`
  bool operator==(const CompileOptions&) const = default;
};

/// Compiles a model. The result is immutable and shared by any number of sessions and threads.
/// @throws UserError for a model without functions, an unknown pass or push port, a state that no function scatters.
std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options = {});

}  // namespace cavs
