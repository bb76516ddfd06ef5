# libtavola: all rooms in one library, installed with its headers, its CMake package (find_package(tavola)) and its
# pkg-config file. A shared build installs the static library too, from the same objects.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY TAVOLA_ROOMS)

function(tavola_library name)
  add_library(${name} ${ARGN})
  foreach(room IN LISTS rooms)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:tavola_${room}>)
  endforeach()
  add_library(tavola::${name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME tavola)
  target_compile_features(${name} PUBLIC cxx_std_23)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Only programs of this tree have RocksDB linked in; other projects link RocksDB's shared library.
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    target_link_libraries(${name} PRIVATE RocksDB::rocksdb-shared)
  else()
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:${TAVOLA_ROCKSDB}> $<INSTALL_INTERFACE:RocksDB::rocksdb-shared>)
  endif()
  target_link_libraries(${name} PRIVATE OpenSSL::Crypto PkgConfig::libpsl PkgConfig::libidn2 PkgConfig::re2 ${TAVOLA_JSON}
                                        OpenSSL::SSL ZLIB::ZLIB Threads::Threads)
  install(TARGETS ${name} EXPORT tavola-targets)
endfunction()

tavola_library(tavola)
# Before 1.0 every minor version may change the binary interface.
set_target_properties(tavola PROPERTIES VERSION ${PROJECT_VERSION}
                                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(BUILD_SHARED_LIBS)
  target_link_options(tavola PRIVATE -Wl,-z,defs)  # a missing function shows here, not in a user's program
  tavola_library(tavola_static STATIC)
endif()
# The library for programs that have it linked in.
set(TAVOLA_LINKED_IN $<IF:$<TARGET_EXISTS:tavola_static>,tavola_static,tavola>)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tavola TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tavola)
configure_package_config_file(cmake/tavola-config.cmake.in ${PROJECT_BINARY_DIR}/tavola-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tavola-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tavola-config.cmake ${PROJECT_BINARY_DIR}/tavola-config-version.cmake
        DESTINATION ${package_dir})
install(EXPORT tavola-targets NAMESPACE tavola:: DESTINATION ${package_dir})

# tavola.pc: the dependencies of a shared library are private; a static one passes them on.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(pc_private "")
if(BUILD_SHARED_LIBS)
  set(pc_private ".private")
endif()
configure_file(cmake/tavola.pc.in ${PROJECT_BINARY_DIR}/tavola.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tavola.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
