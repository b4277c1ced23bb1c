#pragma once

/// The version of these headers. Versions follow semantic versioning (docs/reference/versioning.md).
#define CAVS_VERSION_MAJOR 0
#define CAVS_VERSION_MINOR 1
#define CAVS_VERSION_PATCH 0
#define CAVS_VERSION "0.1.0"

/// Marks the namespace whose names the shared library exports. The namespace is inline, so programs write cavs::Model.
/// Its name lets the linker distinguish incompatible versions.
#define CAVS_API [[gnu::visibility("default")]]
