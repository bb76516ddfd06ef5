# The libraries that Tavola is built on, each as a target. TAVOLA_STATIC: the same targets, of static libraries.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)  # headers only
find_package(PkgConfig REQUIRED)

if(TAVOLA_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(OpenSSL 3 REQUIRED)
pkg_check_modules(libpq REQUIRED libpq)
find_package(ZLIB REQUIRED)
foreach(library libpsl libidn2 re2 libzstd)
  pkg_check_modules(${library} REQUIRED IMPORTED_TARGET ${library})
endforeach()
# Its -pthread would not fit the precompiled headers; what is linked gets it from Threads.
set_property(TARGET PkgConfig::re2 PROPERTY INTERFACE_COMPILE_OPTIONS)

if(NOT TAVOLA_STATIC)
  find_package(RocksDB REQUIRED)
  set(TAVOLA_ROCKSDB $<IF:$<BOOL:${TAVOLA_STATIC_ROCKSDB}>,RocksDB::rocksdb,RocksDB::rocksdb-shared>)
  find_package(simdjson REQUIRED)
  set(TAVOLA_JSON simdjson::simdjson)
  return()
endif()

# Their own packages of CMake name shared libraries.
function(tavola_static_library target)
  add_library(${target} INTERFACE IMPORTED)
  foreach(name IN LISTS ARGN)
    find_library(TAVOLA_LIB_${name} ${name} REQUIRED)
    target_link_libraries(${target} INTERFACE ${TAVOLA_LIB_${name}})
  endforeach()
endfunction()
tavola_static_library(tavola_rocksdb rocksdb snappy lz4 bz2 zstd z)
set(TAVOLA_ROCKSDB tavola_rocksdb)
# A static libidn2 needs libunistring behind it, and libpsl both.
tavola_static_library(tavola_names idn2 unistring)
target_link_libraries(PkgConfig::libidn2 INTERFACE tavola_names)
target_link_libraries(PkgConfig::libpsl INTERFACE tavola_names)
# Debian packages simdjson as a shared library only: its source package is compiled (packaging/source fetches it).
set(TAVOLA_SIMDJSON_SOURCE ${PROJECT_SOURCE_DIR}/build/sources/simdjson/singleheader)
if(NOT EXISTS ${TAVOLA_SIMDJSON_SOURCE}/simdjson.cpp)
  message(FATAL_ERROR "There is no ${TAVOLA_SIMDJSON_SOURCE}/simdjson.cpp: `packaging/source simdjson` fetches it")
endif()
add_library(tavola_simdjson STATIC ${TAVOLA_SIMDJSON_SOURCE}/simdjson.cpp)
target_compile_options(tavola_simdjson PRIVATE -w)
target_include_directories(tavola_simdjson SYSTEM PUBLIC ${TAVOLA_SIMDJSON_SOURCE})
# Programs that link the installed library use Debian's.
set(TAVOLA_JSON $<BUILD_INTERFACE:tavola_simdjson> $<INSTALL_INTERFACE:simdjson::simdjson>)
