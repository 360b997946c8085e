# Install and export, so that `find_package(penstock)` gives penstock::infeed
# and the floors under it.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(penstock_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)

get_property(penstock_libraries GLOBAL PROPERTY PENSTOCK_LIBRARIES)
install(TARGETS ${penstock_libraries} EXPORT penstock-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(CODE "
  set(source [[${PROJECT_SOURCE_DIR}]])
  set(headers [[${penstock_api_headers}]])
  set(destination [[${CMAKE_INSTALL_INCLUDEDIR}/penstock]])")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake)
install(EXPORT penstock-targets NAMESPACE penstock::
        DESTINATION ${penstock_package_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/penstock-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/penstock-config.cmake
  INSTALL_DESTINATION ${penstock_package_dir})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/penstock-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/penstock-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/penstock-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/penstock_dependencies.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindGrpcPlain.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindISAL.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindPCRE2.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindRE2.cmake
  DESTINATION ${penstock_package_dir})
