# Finds the header-only assembler xbyak and defines Xbyak::xbyak.
find_path(Xbyak_INCLUDE_DIR xbyak/xbyak.h)
mark_as_advanced(Xbyak_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Xbyak
  REQUIRED_VARS Xbyak_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libxbyak-dev (make setup), or build the portable library with -DCAVS_X86_KERNELS=OFF")

if(Xbyak_FOUND AND NOT TARGET Xbyak::xbyak)
  add_library(Xbyak::xbyak INTERFACE IMPORTED)
  target_include_directories(Xbyak::xbyak INTERFACE ${Xbyak_INCLUDE_DIR})
endif()
