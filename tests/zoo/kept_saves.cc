#include "zoo/kept_saves.h"

#include <fcntl.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace cavs::zoo {
namespace {

KeptSaves* keeper = nullptr;

}  // namespace

std::string read_bytes(const std::string& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

void write_bytes(const std::string& file, const std::string& bytes) {
  if (!(std::ofstream(file, std::ios::binary) << bytes)) throw std::runtime_error("cannot write " + file);
}

KeptSaves::KeptSaves() { keeper = this; }
KeptSaves::~KeptSaves() { keeper = nullptr; }

void KeptSaves::add(const char* file, const char* temporary) {
  saves_.push_back({std::filesystem::path(file).filename(), read_bytes(temporary)});
}

}  // namespace cavs::zoo

/// Replaces the C library's function in this program. write_file_atomically ends each save with it.
extern "C" int rename(const char* from, const char* to) noexcept {
  if (cavs::zoo::keeper != nullptr) cavs::zoo::keeper->add(to, from);
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
