#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// The time at which a node runs (Cavs, section 3.4): eager nodes over all vertices before the tasks, lazy nodes over
/// all vertices after the tasks, others task by task. In ∂F gather and scatter swap roles.
enum class Stage : std::uint8_t { kEager, kTask, kLazy };

std::string_view to_string(Stage stage);

/// Options that allow nodes to run over all vertices at once. If an option is off, its nodes run task by task,
/// including those that add to gradients of parameters. Gradients of lookup tables always wait for all their rows.
struct StageOptions {
  bool eager = true, lazy = true;
};

/// Returns each node's stage: eager if it depends on no gather; else lazy if no scatter depends on it; else task.
std::vector<Stage> find_stages(const Function& f, StageOptions options = {});

}  // namespace cavs::inline v0_1
