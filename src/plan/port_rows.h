#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.h"

namespace cavs {

/// The numbers that the vertices of a type have on an index port, and the rows of the domain that the port makes.
struct PortRows {
  std::string name = {};
  bool distinct = false;
  std::int32_t numbers = 0;  // of distinct domains: all are below
  Slice values = {};         // by vertex row; -1: none
  std::int32_t present = 0;  // vertices that have a value
  Slice before = {};         // of partial domains: their rows before vertex row r
  // Of distinct domains, which are partial, too:
  Slice row_of = {};     // by vertex row, its row, -1
  Slice number_of = {};  // by row
  Slice vertices = {};   // row by row; only in training
};

}  // namespace cavs
