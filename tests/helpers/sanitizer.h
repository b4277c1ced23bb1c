#pragma once

namespace cavs {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many of something a test takes: under a sanitizer an eighth, at least 2. Numbers are compared in the plain build
/// with all; a sanitizer looks at addresses and threads, for which a few are as good, and is ten times as slow.
constexpr int fewer(int count) { return !kSanitized || count <= 2 ? count : count / 8 < 2 ? 2 : count / 8; }

}  // namespace cavs
