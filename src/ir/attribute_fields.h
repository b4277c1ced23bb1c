#pragma once

#include <cstdint>
#include <string>

#include "cavs/attributes.h"

namespace cavs::inline v0_1 {

struct OpDef;

/// Attributes of any operator as F in JSON, `cavs ops` and printers have them: the same five fields for all. What is
/// zero or empty is not written. This is the only place where the two forms meet.
struct AttributeFields {
  std::string name = {};   // parameter, state, port
  std::int32_t index = 0;  // child, part, begin, padding; a domain; of children: -1 - the first slot
  std::int32_t count = 0;  // parts, length, stride, classes; of gather and children: 1 where the shape is known
  double number = 0;       // constant, epsilon, probability
  Shape shape = {};        // of a window: [height, width], followed by the image's where that is known
};

AttributeFields fields_of(const Attributes& attributes);

/// Those of `op`; fields that it has not are ignored. @throws UserError where they do not fit it.
Attributes attributes_from(const OpDef& op, const AttributeFields& fields);

}  // namespace cavs::inline v0_1
