#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cavs::cli {

/// The manual page of cavs or of one of its commands, for roff with the macros 'man': what --help says, in the form of
/// a page. No date, so the same version gives the same bytes.
std::string manual_page(CLI::App& app);

}  // namespace cavs::cli
