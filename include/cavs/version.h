#pragma once

/// The version of these headers. Versions follow semantic versioning; docs/versioning.md says what they promise.
#define CAVS_VERSION_MAJOR 0
#define CAVS_VERSION_MINOR 1
#define CAVS_VERSION_PATCH 0
#define CAVS_VERSION "0.1.0"

/// What the shared library exports: names that headers declare in `namespace CAVS_API v0_1`, which is inline, so that
/// programs write cavs::Model. The linker thus tells versions apart that are not compatible.
#define CAVS_API [[gnu::visibility("default")]]
