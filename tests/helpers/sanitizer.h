#pragma once

namespace cavs {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Returns the number of cases that a test runs: `count`, or with a sanitizer an eighth of that, at least 2. A
/// sanitizer makes tests ten times as slow, and needs fewer cases to check addresses and threads.
constexpr int fewer(int count) { return !kSanitized || count <= 2 ? count : count / 8 < 2 ? 2 : count / 8; }

}  // namespace cavs
