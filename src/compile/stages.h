#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// When a node runs (Cavs, section 3.4): eager nodes over all vertices before the tasks, lazy nodes over all vertices
/// after them, the others task by task. In ∂F gather and scatter swap roles.
enum class Stage : std::uint8_t { kEager, kTask, kLazy };

std::string_view to_string(Stage stage);

/// What runs over all vertices at once. What does not runs task by task, gradients of parameters included; gradients of
/// lookup tables always wait until all their rows are there.
struct StageOptions {
  bool eager = true, lazy = true;
};

/// The stage of every node. Eager: no gather reaches it. Lazy: it reaches no scatter. Both: eager.
std::vector<Stage> find_stages(const Function& f, StageOptions options = {});

}  // namespace cavs::inline v0_1
