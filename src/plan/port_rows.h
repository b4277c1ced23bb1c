#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.h"

namespace cavs {

/// What the vertices of a type have on an index port, or as a child in a slot, and which rows of its domain are theirs,
/// where it makes one.
struct PortRows {
  std::string name = {};
  std::int32_t child = -1;  // the slot, where it is one: numbers are rows of the states
  bool distinct = false;
  bool by_given = false;     // a labelled row for each vertex of the samples, whoever stands for it
  std::int32_t numbers = 0;  // of distinct domains: all are below
  Slice values = {};         // by vertex row; -1: none
  std::int32_t present = 0;  // vertices that have a value
  Slice before = {};         // of partial domains: their rows before vertex row r
  // Of distinct domains, which are partial, too:
  Slice row_of = {};  // by vertex row, its row, -1
  // Of these and of rows by given vertex:
  Slice number_of = {};    // by row
  Slice vertices = {};     // row by row; of distinct domains only in training
  Slice given_order = {};  // rows by given vertex in the order of these

  bool has_lists() const { return distinct || by_given; }
};

}  // namespace cavs
