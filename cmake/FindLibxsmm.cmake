# Finds libxsmm and defines Libxsmm::libxsmm. Also installed, because a static cavs needs it when it is linked.
#
# libxsmm refers to a BLAS that we never call. Its own stand-in (libxsmmnoblas) comes after libxsmm, so that a program
# which links a real BLAS keeps it.
find_path(Libxsmm_INCLUDE_DIR libxsmm.h)
find_library(Libxsmm_LIBRARY xsmm)
find_library(Libxsmm_NOBLAS_LIBRARY xsmmnoblas)
mark_as_advanced(Libxsmm_INCLUDE_DIR Libxsmm_LIBRARY Libxsmm_NOBLAS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libxsmm
  REQUIRED_VARS Libxsmm_LIBRARY Libxsmm_NOBLAS_LIBRARY Libxsmm_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libxsmm-dev (make setup), or build the portable library with -DCAVS_X86_KERNELS=OFF")

if(Libxsmm_FOUND AND NOT TARGET Libxsmm::libxsmm)
  find_package(Threads REQUIRED)
  add_library(Libxsmm::libxsmm INTERFACE IMPORTED)
  target_include_directories(Libxsmm::libxsmm INTERFACE ${Libxsmm_INCLUDE_DIR})
  target_link_libraries(Libxsmm::libxsmm INTERFACE
    ${Libxsmm_LIBRARY} ${Libxsmm_NOBLAS_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} rt m)
endif()
