#pragma once

#include "compile/program.h"

namespace cavs {

/// Says of every type whether one vertex may stand for all that are equal (TypeProgram::shares_equal), and what those
/// have in common (inputs). Nothing of the type is random; its losses are of labelled rows, of which every vertex has
/// its own; nothing else is given or taken by vertex but pushes. A program that is compiled without
/// CompileOptions::share_equal, or with gradients of pulls or pushes, has no such type.
/// Before: all types are lowered.
void find_equal_vertices(Program& program);

}  // namespace cavs
