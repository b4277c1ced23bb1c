#pragma once

#include <cstdint>
#include <string>

#include "cavs/attributes.h"

namespace cavs::inline v0_1 {

struct OpDef;

/// Attributes as JSON, `cavs ops` and printers show them: the same five fields for every operator. Fields that are zero
/// or empty are not written. No other code converts between the two forms.
struct AttributeFields {
  std::string name = {};   // name of a parameter, state or port
  std::int32_t index = 0;  // child, part, begin, padding, domain, or -1 - the first slot of `children`
  std::int32_t count = 0;  // parts, length, stride, classes; 1 if the shape of gather or children is known
  double number = 0;       // constant, epsilon or probability
  Shape shape = {};        // [height, width] of a window, followed by the image's shape where that is known
};

AttributeFields fields_of(const Attributes& attributes);

/// The attributes of `op`; fields that `op` does not have are ignored. @throws UserError if the fields do not fit `op`.
Attributes attributes_from(const OpDef& op, const AttributeFields& fields);

}  // namespace cavs::inline v0_1
