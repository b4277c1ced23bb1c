#include "cavs/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cavs {

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.dims, ", ")); }

}  // namespace cavs
