#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compile/stages.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Returns a node's operator and its inputs, such as "gather(0, "h")", "part(%7, 1 of 3)" or "matmul(%3, %4)".
std::string expression(const Node& node);

/// Returns a node's shape: "[4]", "index", or "?" if it is unknown; empty for a node without a value.
std::string shape_text(const Node& node);

/// [stages] fill colour of the nodes of a stage, as "#rrggbb"
inline constexpr std::string_view kStageColours[] = {"#dbeafe", "#fef3c7", "#dcfce7"};

/// Prints a vertex function, and ∂F if it has been derived, with one line per node: expression, shape, domain, stage,
/// and the name that the user gave. `stages` is find_stages(f) or empty.
///
///     vertex function 'cell'
///     F:
///       %0 = gather(0, "h")  [4]  vertex  task
///            scatter("h", %0)     vertex  task
std::string to_text(const Function& f, std::span<const Stage> stages);

/// Returns what to_text() prints as a graph for Graphviz: one cluster each for F and ∂F, coloured by stage. All
/// functions of a model are in one document: dot_begin() + to_dot(f, ...) + ... + dot_end().
std::string to_dot(const Function& f, std::span<const Stage> stages);
std::string dot_begin();
std::string dot_end();

}  // namespace cavs::inline v0_1
