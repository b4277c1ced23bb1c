#include "cavs/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cavs::inline v0_1 {

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.dims, ", ")); }

}  // namespace cavs::inline v0_1
