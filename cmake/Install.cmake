# Installs the package: headers of include/cavs, the library, files for find_package(cavs) and pkg-config, the
# documentation, and the command with its manual pages and completion.
# cmake/Packages.cmake makes a package of each component.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cavs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cavs DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h")
set(libraries cavs cavs_shared)
if(TARGET cavs_mpi)
  list(APPEND libraries cavs_mpi)
endif()
install(TARGETS ${libraries} EXPORT cavsTargets ARCHIVE COMPONENT development
  LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(EXPORT cavsTargets NAMESPACE cavs:: DESTINATION ${package_dir} COMPONENT development)
if(TARGET cavs_cli)
  install(TARGETS cavs_cli COMPONENT command)
endif()
if(TARGET cavs_cli AND NOT CMAKE_CROSSCOMPILING)
  find_program(CAVS_HELP2MAN help2man)
  if(NOT CAVS_HELP2MAN)
    message(STATUS "help2man is not installed, so cavs is installed without manual pages")
  endif()
  set(manuals ${PROJECT_BINARY_DIR}/manuals)
  add_custom_command(OUTPUT ${manuals}/written DEPENDS cavs_cli ${CMAKE_CURRENT_LIST_DIR}/WriteManuals.cmake
    COMMAND ${CMAKE_COMMAND} -DCOMMAND=$<TARGET_FILE:cavs_cli> -DVERSION=${PROJECT_VERSION} -DFOLDER=${manuals}/files
      -DHELP2MAN=${CAVS_HELP2MAN} -P ${CMAKE_CURRENT_LIST_DIR}/WriteManuals.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${manuals}/written
    COMMENT "Writing manual pages and completion" VERBATIM)
  add_custom_target(cavs_manuals ALL DEPENDS ${manuals}/written)
  if(CAVS_HELP2MAN)
    install(DIRECTORY ${manuals}/files/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command)
  endif()
  install(DIRECTORY ${manuals}/files/bash-completion DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT command)
endif()
install(FILES LICENSE THIRD-PARTY-LICENSES.txt README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md CITATION.cff
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cavsConfig.cmake.in ${PROJECT_BINARY_DIR}/cavsConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cavsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cavsConfig.cmake ${PROJECT_BINARY_DIR}/cavsConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH cavs_pc_includedir ${pc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/cavs.pc.in ${PROJECT_BINARY_DIR}/cavs.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cavs.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
