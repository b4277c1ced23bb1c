#pragma once

#include <fmt/format.h>

#include <utility>

#include "cavs/error.h"

namespace cavs::inline v0_1 {

/// Throws UserError with a formatted message.
template <typename... Args>
[[noreturn]] void user_error(fmt::format_string<Args...> format, Args&&... args) {
  throw UserError(fmt::format(format, std::forward<Args>(args)...));
}

/// Throws UserError unless `ok`. Arguments are evaluated even when `ok`; keep them cheap.
template <typename... Args>
void user_check(bool ok, fmt::format_string<Args...> format, Args&&... args) {
  if (!ok) [[unlikely]]
    throw UserError(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace cavs::inline v0_1

/// Throws InternalError if the condition is false. Use it for conditions that the library itself guarantees.
#define CAVS_ASSERT(condition)                                                                                 \
  do {                                                                                                         \
    if (!(condition)) [[unlikely]]                                                                             \
      throw ::cavs::InternalError(fmt::format("internal error at {}:{}: {} does not hold; please report this", \
                                              __FILE__, __LINE__, #condition));                                \
  } while (false)
