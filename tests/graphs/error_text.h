#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cavs/error.h"

namespace cavs {

/// The message of the UserError that the call throws.
template <typename Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no UserError";
}

/// A text with a mistake, and the expected message.
struct Mistake {
  std::string text, says;
};

/// Checks that `read` rejects each text with its message, which `place` precedes.
template <typename Read>
void expect_mistakes(const std::vector<Mistake>& mistakes, const std::string& place, Read&& read) {
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(error_of([&] { read(mistake.text); }), place + mistake.says) << mistake.text;
}

}  // namespace cavs
