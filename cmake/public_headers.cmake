# The public headers, as docs/api.md lists them in its tables.

set(penstock_api ${PROJECT_SOURCE_DIR}/docs/api.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${penstock_api})
file(STRINGS ${penstock_api} penstock_api_lines REGEX "^\\| `[a-z_/0-9]+\\.h`")
set(penstock_api_headers "")
foreach(line IN LISTS penstock_api_lines)
  string(REGEX REPLACE "^\\| `([^`]+)`.*" "\\1" header "${line}")
  list(APPEND penstock_api_headers ${header})
endforeach()

list(TRANSFORM penstock_api_headers PREPEND ${PROJECT_SOURCE_DIR}/
     OUTPUT_VARIABLE penstock_api_paths)

# `cmake --build ... --target all_verify_interface_header_sets` compiles each of
# them alone, without a warning.
function(penstock_check_public_headers)
  add_library(penstock_api INTERFACE)
  target_sources(penstock_api INTERFACE FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${penstock_api_paths})
  target_compile_options(penstock_api INTERFACE -Wall -Wextra -Werror)
  target_link_libraries(penstock_api INTERFACE penstock_infeed)
endfunction()
