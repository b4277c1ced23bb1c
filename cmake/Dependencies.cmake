# Included at the top level, because every target that links the static library needs these packages, too.
# docs/how/dependencies.md says what each is for.
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
set(MPI_CXX_SKIP_MPICXX ON)
if(CAVS_MPI STREQUAL "FOUND")
  find_package(MPI COMPONENTS CXX)
elseif(CAVS_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
