#pragma once

#include <vector>

#include "cavs/graph.h"
#include "law/random_model.h"

/// Graphs as plain values, which can be drawn, made smaller and printed.
namespace cavs::law {

/// Numbers of ports; -1 where the port is absent. number_of() makes the floats of a port from them.
struct LawVertex {
  int type = 0;
  int word = -1, label = -1, box = -1;
  int at = -1;                     // a vertex of the sample
  std::vector<int> children = {};  // -1: an absent child
  std::vector<int> relations = {}, bonds = {};
};
using LawGraph = std::vector<LawVertex>;

/// Graphs that fit the model, children before their parents or in any order.
std::vector<LawGraph> draw_graphs(Numbers& numbers, const LawModel& model, Family family, int size);

GraphSchema schema_of(const LawModel& model);
InputGraph to_input(const LawGraph& graph);
GraphSet to_set(const LawModel& model, const std::vector<LawGraph>& graphs);

/// The same without a vertex; in its place its parents have its first child, if it has one.
LawGraph without_vertex(const LawGraph& graph, int vertex);

}  // namespace cavs::law
