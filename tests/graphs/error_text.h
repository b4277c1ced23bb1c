#pragma once

#include <string>

#include "cavs/error.h"

namespace cavs {

/// The message of the UserError that the call ends with.
template <typename Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no UserError";
}

}  // namespace cavs
