#pragma once

#include <string>
#include <vector>

namespace cavs::zoo {

/// Keeps a copy of each file that is saved in this process as long as it lives, as a process that is killed after the
/// save leaves it.
class KeptSaves {
 public:
  KeptSaves();
  ~KeptSaves();
  KeptSaves(const KeptSaves&) = delete;
  KeptSaves& operator=(const KeptSaves&) = delete;

  struct Save {
    std::string file, bytes;
  };
  const std::vector<Save>& all() const { return saves_; }
  void add(const char* file, const char* temporary);

 private:
  std::vector<Save> saves_;
};

std::string read_bytes(const std::string& file);
void write_bytes(const std::string& file, const std::string& bytes);

}  // namespace cavs::zoo
