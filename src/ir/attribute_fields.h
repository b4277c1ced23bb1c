#pragma once

#include <cstdint>
#include <string>

#include "cavs/attributes.h"

namespace cavs::inline v0_1 {

struct OpDef;

/// An operator's attributes in the form of JSON, `cavs ops` and printers, which has the same five fields for every
/// operator. Fields that are zero or empty are not written. Only this file converts between this form and Attributes.
struct AttributeFields {
  std::string name = {};   // name of the parameter, state or port
  std::int32_t index = 0;  // slot, part, first column, padding, domain kind, or (children) -1 - the first slot
  std::int32_t count = 0;  // number of parts, columns or classes, stride; 1 if the shape of gather or children is known
  double number = 0;       // scalar, epsilon or probability
  Shape shape = {};        // shape of a row or table; for windows [height, width], then the image's shape if known
};

AttributeFields fields_of(const Attributes& attributes);

/// Returns the attributes of `op`. Fields that `op` does not have are ignored. @throws UserError if they do not fit.
Attributes attributes_from(const OpDef& op, const AttributeFields& fields);

}  // namespace cavs::inline v0_1
