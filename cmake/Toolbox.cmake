# The settings of every target: language, warnings, sanitizers, ccache and mold if present; and the functions
# that declare rooms, tests and fuzz targets.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE ccache)
if(CCACHE)
  # Every build folder of this tree shares compiled objects: an object differs by its flags, not by its folder
  # (CCACHE_BASEDIR: paths are compared as seen from the build folder).
  # ccache needs the sloppiness to cache anything with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
                                  CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD AND NOT TAVOLA_SANITIZE MATCHES "thread")  # mold 1.10 does not understand tsan-exports.map
  add_link_options(-fuse-ld=mold)
endif()

# Unused functions are left out of a program: less to load.
add_link_options($<$<CONFIG:Release>:-Wl,--gc-sections>)

# A build is the same wherever the tree lies: __FILE__ is a path in the tree.
add_compile_options($<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
if(TAVOLA_STATIC)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-pie>)
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# clang proves that guarded members (base/locks.h) are used under their lock; tests/canary/unlocked.cc shows it failing.
add_compile_options($<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
# g++ 12's guesses about the lengths of a std::string after inlining are wrong too often, with sanitizers and with
# link-time optimisation.
set(TAVOLA_NO_GUESSES "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-maybe-uninitialized;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>")
add_compile_options("${TAVOLA_NO_GUESSES}")
add_link_options("${TAVOLA_NO_GUESSES}")
if(TAVOLA_WERROR)
  add_compile_options(-Werror)
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  # An index out of range in a std container stops the program instead of reading past the end. No ABI change.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
if(TAVOLA_SANITIZE)
  add_compile_options(-fsanitize=${TAVOLA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TAVOLA_SANITIZE})
endif()
if(TAVOLA_SANITIZE MATCHES "thread")
  # librocksdb and libstdc++.so are not compiled for ThreadSanitizer, and their accesses are ignored (tsan.supp). So
  # the two sides must not share functions: std::string is compiled into our code instead of taken from libstdc++.so,
  # and our programs export no C++ function that a library could bind to instead of its own copy.
  add_compile_definitions(_GLIBCXX_EXTERN_TEMPLATE=0)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/tsan-exports.map>)
endif()

# tavola_room(NAME [LIBRARIES lib...]): the *.cc of the folder and of its sub-rooms are its code, their *_test.cc one test program
# `NAME_test`.
# Third-party libraries are private to the room: no header of ours includes theirs. A room without code is left out.
# PROGRAM: the room is part of programs that link `tavola_NAME`, not of libtavola, which an embedder would otherwise
# link with OpenSSL and the like. Its tests link it and the rooms it USES; without USES, libtavola.
# FOR_PEOPLE: its code runs when a person asks for something, not for each request. A release compiles it with -O1, which takes a
# quarter less time.
function(tavola_room name)
  cmake_parse_arguments(ROOM "PROGRAM;FOR_PEOPLE" "" "LIBRARIES;USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc */*.cc)
  list(FILTER sources EXCLUDE REGEX "/testdata/")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(REMOVE_ITEM sources ${tests} "")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")  # a program, not part of the room
  if(NOT sources)
    return()
  endif()
  add_library(tavola_${name} OBJECT ${sources})
  target_include_directories(tavola_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(tavola_${name} PRIVATE ${ROOM_LIBRARIES})
  if(ROOM_PROGRAM)
    set_property(GLOBAL APPEND PROPERTY TAVOLA_PROGRAM_ROOMS ${name})
    list(TRANSFORM ROOM_USES PREPEND tavola_ OUTPUT_VARIABLE below)
    if(NOT below)
      set(below tavola)
    endif()
    set_property(GLOBAL PROPERTY TAVOLA_TEST_LINKS_${name} tavola_${name} ${below})
  else()
    set_property(GLOBAL APPEND PROPERTY TAVOLA_ROOMS ${name})
  endif()
  if(ROOM_PROGRAM AND TAVOLA_QUICK_PROGRAM)
    target_compile_options(tavola_${name} PRIVATE -O0)
  elseif(ROOM_FOR_PEOPLE)
    target_compile_options(tavola_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  tavola_unity(tavola_${name} ${sources})
  tavola_room_headers(tavola_${name})
  set_property(GLOBAL PROPERTY TAVOLA_TESTS_${name} ${tests})
endfunction()

# With TAVOLA_UNITY the sources of a folder are compiled as one file, so that their headers are parsed once, and so are its tests.
# A name in an anonymous namespace must then be the only one of its kind among them.
function(tavola_unity target)
  if(NOT TAVOLA_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  # g++ takes the included sources for headers, whose types should not be made of anonymous ones.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# The headers that most sources include are parsed once. `make lint` and `make fuzz` read every file alone, and show that it includes
# what it uses.
function(tavola_room_headers target)
  if(TAVOLA_FUZZ)
    return()
  endif()
  set(property TAVOLA_ROOM_HEADERS)
  get_target_property(options ${target} COMPILE_OPTIONS)
  if("-O0" IN_LIST options)
    set(property TAVOLA_PLAIN_ROOM_HEADERS)
  endif()
  get_property(headers GLOBAL PROPERTY ${property})
  if(headers)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  else()
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <charconv> <chrono> <filesystem> <fstream> <functional>
                                                <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread>
                                                <unordered_map> <variant> <vector> <tavola/database.h>
                                                ${PROJECT_SOURCE_DIR}/src/database/enum_names.h
                                                ${PROJECT_SOURCE_DIR}/src/design/model/model.h)
    set_property(GLOBAL PROPERTY ${property} ${target})
  endif()
  tavola_cache_with_headers(${target})
endfunction()

# The options that ccache needs for precompiled headers.
function(tavola_cache_with_headers target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                                           "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# Precompiles the common headers of tests, whose parsing takes longer than most of the tests themselves. The library is
# tested as it is compiled; its tests compile twice as fast this way.
function(tavola_test_headers target)
  target_compile_options(${target} PRIVATE -O0)
  get_property(headers GLOBAL PROPERTY TAVOLA_TEST_HEADERS)
  if(headers)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  else()
    target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h> <rapidcheck/gtest.h> <algorithm>
                                                <atomic> <chrono> <filesystem> <fstream> <functional> <map> <optional> <random>
                                                <string> <thread> <variant> <vector> <tavola/table.h>
                                                ${PROJECT_SOURCE_DIR}/src/design/model/model.h)
    set_property(GLOBAL PROPERTY TAVOLA_TEST_HEADERS ${target})
  endif()
  tavola_cache_with_headers(${target})
endfunction()

# Declares one test program per room, linked with the whole library, or with a PROGRAM room and the rooms it
# uses.
function(tavola_room_tests)
  get_property(library_rooms GLOBAL PROPERTY TAVOLA_ROOMS)
  get_property(program_rooms GLOBAL PROPERTY TAVOLA_PROGRAM_ROOMS)
  foreach(room IN LISTS library_rooms program_rooms)
    get_property(tests GLOBAL PROPERTY TAVOLA_TESTS_${room})
    get_property(links GLOBAL PROPERTY TAVOLA_TEST_LINKS_${room})
    if(tests)
      tavola_test(${room}_test ${tests} LINKS ${links})
      tavola_unity(${room}_test ${tests})
    endif()
  endforeach()
endfunction()

# tavola_test(NAME source... [LINKS target...]): a GoogleTest program on libtavola, or on LINKS, run by ctest. It sees
# the rooms' headers ("value/key_codec.h"), the tree ("tests/..."), and TAVOLA_SOURCE_DIR for its data files. A main()
# of its own replaces GoogleTest's.
function(tavola_test name)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  cmake_parse_arguments(TEST "" "" "LINKS" ${ARGN})
  if(NOT TEST_LINKS)
    set(TEST_LINKS tavola)
  endif()
  add_executable(${name} ${TEST_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE TAVOLA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  tavola_test_headers(${name})
  target_link_libraries(${name} PRIVATE ${TEST_LINKS} GTest::gmock GTest::gtest_main rapidcheck Threads::Threads)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  # RapidCheck's seed is always the same, so that a test that passed passes again. The last one given counts:
  # `RC_PARAMS=seed=7 make test` uses another.
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 ENVIRONMENT "${TAVOLA_TEST_ENVIRONMENT}"
                                          ENVIRONMENT_MODIFICATION "RC_PARAMS=string_prepend:seed=20251 ")
endfunction()

# The sanitizers' settings for every test. halt_on_error: the first report fails the test.
set(TAVOLA_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:detect_leaks=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=${PROJECT_SOURCE_DIR}/cmake/tsan.supp")
