#pragma once

/// The version of these headers. Versions follow semantic versioning; docs/reference/versioning.md says what they
/// promise.
#define CAVS_VERSION_MAJOR 0
#define CAVS_VERSION_MINOR 1
#define CAVS_VERSION_PATCH 0
#define CAVS_VERSION "0.1.0"

/// Marks the namespace whose names the shared library exports. It is inline, so programs write cavs::Model; its name
/// lets the linker tell versions apart that are not compatible.
#define CAVS_API [[gnu::visibility("default")]]
