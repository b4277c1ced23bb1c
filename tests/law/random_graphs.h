#pragma once

#include <vector>

#include "cavs/graph.h"
#include "law/random_model.h"

/// Graphs as plain values that can be drawn, made smaller and printed.
namespace cavs::law {

/// The integers on the ports of a vertex; -1 means absent. number_of() derives the floats of a port from them.
struct LawVertex {
  int type = 0;
  int word = -1, label = -1, box = -1;
  int at = -1;                     // vertex of the sample that this vertex represents
  std::vector<int> children = {};  // -1: an absent child
  std::vector<int> relations = {}, bonds = {};
};
using LawGraph = std::vector<LawVertex>;

/// Graphs that fit the model. Children come before their parents, or vertices are in random order.
std::vector<LawGraph> draw_graphs(Numbers& numbers, const LawModel& model, Family family, int size);

GraphSchema schema_of(const LawModel& model);
InputGraph to_input(const LawGraph& graph);
GraphSet to_set(const LawModel& model, const std::vector<LawGraph>& graphs);

/// The graph without one vertex. The parents of that vertex get its first child instead, if it has one.
LawGraph without_vertex(const LawGraph& graph, int vertex);

}  // namespace cavs::law
