# Compiler settings, dependencies and the three helpers every folder uses:
#
#   penstock_library(formats SOURCES files/a.cc DEPS ZLIB::ZLIB)
#   penstock_test(formats SOURCES a_test.cc DEPS penstock::formats)
#   penstock_bench(formats_bench SOURCES formats_bench.cc DEPS ...)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ${PENSTOCK_BUILD_TESTS})

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(PENSTOCK_CCACHE ccache)
if(PENSTOCK_CCACHE)
  # Precompiled headers are cached only where this is said.
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${PENSTOCK_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

if(PENSTOCK_SANITIZE)
  add_compile_options(-fsanitize=${PENSTOCK_SANITIZE}
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PENSTOCK_SANITIZE})
endif()

# Programs that need not be relocated start in half the time, and tests start
# many hundred: the sanitizer's descriptions of globals are full of addresses.
if(PENSTOCK_SANITIZE MATCHES address)
  add_link_options(
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()

# The address sanitizer meets what these two look for, and they take long to
# compile.
if(PENSTOCK_SANITIZE MATCHES undefined)
  add_compile_options(-fno-sanitize=null,object-size)
endif()

# Collecting garbage takes 4 to 8 % of the compiler's time, and saves it a quarter
# of a GiB.
add_compile_options(
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)

add_compile_definitions(PENSTOCK_VERSION="${PROJECT_VERSION}")

if(PENSTOCK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

include(public_headers)
include(penstock_dependencies)
find_package(Protobuf REQUIRED)  # for example.proto, which is not installed

add_library(penstock_warnings INTERFACE)
target_compile_options(penstock_warnings INTERFACE
  # GCC 12 sees overlaps in std::string that are not there (PR 105651), and
  # takes sources that are compiled as one unit for headers.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-subobject-linkage>
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
  -Wnon-virtual-dtor -Woverloaded-virtual)

# Compiles the sources of each room as one unit, as most of the time goes into
# headers and templates, which are then read once.
function(penstock_unite_rooms target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    get_filename_component(room ${source} DIRECTORY)
    if(NOT room)
      set(room root)
    endif()
    string(MAKE_C_IDENTIFIER ${room} room)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
  endforeach()
endfunction()

# What nearly every source includes, read once for all of them. ccache needs the
# option to cache what uses it.
set(penstock_pch_options $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
set(empty_source ${PROJECT_BINARY_DIR}/penstock_headers.cc)
file(CONFIGURE OUTPUT ${empty_source} CONTENT "")
add_library(penstock_headers OBJECT EXCLUDE_FROM_ALL ${empty_source})
target_compile_options(penstock_headers PRIVATE ${penstock_pch_options})
target_link_libraries(penstock_headers PRIVATE penstock_warnings fmt::fmt
  nlohmann_json::nlohmann_json)
target_precompile_headers(penstock_headers PRIVATE
  <algorithm> <array> <bit> <cstdint> <cstring> <deque> <functional> <limits>
  <map> <memory> <mutex> <optional> <set> <span> <string> <string_view>
  <thread> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)

function(penstock_use_headers target)
  target_compile_options(${target} PRIVATE ${penstock_pch_options})
  target_precompile_headers(${target} REUSE_FROM penstock_headers)
endfunction()

# One floor: a static library. Which of its headers are public, docs/api.md says.
function(penstock_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(penstock_${name} STATIC ${ARG_SOURCES})
  add_library(penstock::${name} ALIAS penstock_${name})
  set_target_properties(penstock_${name} PROPERTIES EXPORT_NAME ${name})
  penstock_unite_rooms(penstock_${name} ${ARG_SOURCES})
  penstock_use_headers(penstock_${name})
  target_include_directories(penstock_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:include>)
  target_compile_features(penstock_${name} PUBLIC cxx_std_20)
  target_link_libraries(penstock_${name} PUBLIC ${ARG_DEPS}
    PRIVATE ${ARG_PRIVATE_DEPS} $<BUILD_INTERFACE:penstock_warnings>)
  set_property(GLOBAL APPEND PROPERTY PENSTOCK_LIBRARIES penstock_${name})
endfunction()

# Tests run for a minute and compile for ten: not optimised, they are faster.
set(penstock_test_options ${penstock_pch_options} $<$<CONFIG:Debug>:-O0>)
# Undefined behaviour is looked for in what is tested; in the tests themselves
# the checks would take as long to compile as all the rest.
if(PENSTOCK_SANITIZE MATCHES undefined)
  list(APPEND penstock_test_options -fno-sanitize=undefined)
endif()

# Tests of neighbouring rooms are compiled as one unit, too: half of what is
# compiled for a test are templates that the next needs again.
set(penstock_tests_of_a_unit 12)

# One test program of a floor, run in a few shards side by side: a process for
# each test would take longer to start than to run. ONE_THREAD are sources whose
# tests start no thread, or none but in programs that other tests start, too:
# they are not built under the thread sanitizer, nor a program of them alone. A
# program that MOSTLY_WAITS begins before the others, for which it leaves time.
function(penstock_test name)
  cmake_parse_arguments(ARG "MOSTLY_WAITS" "SHARDS" "SOURCES;ONE_THREAD;DEPS"
    ${ARGN})
  if(NOT PENSTOCK_SANITIZE MATCHES thread)
    list(APPEND ARG_SOURCES ${ARG_ONE_THREAD})
  elseif(NOT ARG_SOURCES)
    return()
  endif()
  list(SORT ARG_SOURCES)
  add_executable(${name}_tests ${ARG_SOURCES})
  set_target_properties(${name}_tests PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${penstock_tests_of_a_unit})
  target_compile_options(${name}_tests PRIVATE ${penstock_test_options})
  target_precompile_headers(${name}_tests REUSE_FROM penstock_test_headers)
  target_link_libraries(${name}_tests PRIVATE ${ARG_DEPS} penstock_warnings
    fmt::fmt nlohmann_json::nlohmann_json GTest::gmock GTest::gtest_main)
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    set(test ${name}.${shard}of${ARG_SHARDS})
    add_test(NAME ${test} COMMAND ${name}_tests --gtest_brief=1
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${test} PROPERTIES TIMEOUT 1200 ENVIRONMENT
      "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
    if(ARG_MOSTLY_WAITS)
      set_tests_properties(${test} PROPERTIES COST 1000)
    endif()
  endforeach()
endfunction()

# One benchmark program.
function(penstock_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} penstock_warnings
    benchmark::benchmark)
endfunction()
