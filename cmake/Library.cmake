# libtavola: all rooms in one library, installed with its CMake package and pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(tavola)
get_property(rooms GLOBAL PROPERTY TAVOLA_ROOMS)
foreach(room IN LISTS rooms)
  target_sources(tavola PRIVATE $<TARGET_OBJECTS:tavola_${room}>)
endforeach()
add_library(tavola::tavola ALIAS tavola)
target_compile_features(tavola PUBLIC cxx_std_23)
target_include_directories(tavola PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(tavola PRIVATE RocksDB::rocksdb-shared Threads::Threads)
