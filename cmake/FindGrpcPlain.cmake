# gRPC's C++ library without encryption, as GrpcPlain::GrpcPlain. Debian's own
# CMake files ask for the compiler of services, which nothing here needs.

find_path(GrpcPlain_INCLUDE_DIR grpcpp/grpcpp.h)
set(GrpcPlain_FOUND_LIBRARIES)
foreach(name grpc++_unsecure grpc_unsecure gpr)
  find_library(GrpcPlain_${name} ${name})
  list(APPEND GrpcPlain_FOUND_LIBRARIES ${GrpcPlain_${name}})
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GrpcPlain
  REASON_FAILURE_MESSAGE "install libgrpc++-dev, as tools/setup --hosts does"
  REQUIRED_VARS GrpcPlain_grpc++_unsecure GrpcPlain_grpc_unsecure GrpcPlain_gpr
    GrpcPlain_INCLUDE_DIR)

if(GrpcPlain_FOUND AND NOT TARGET GrpcPlain::GrpcPlain)
  add_library(GrpcPlain::GrpcPlain INTERFACE IMPORTED)
  target_include_directories(GrpcPlain::GrpcPlain SYSTEM INTERFACE
    ${GrpcPlain_INCLUDE_DIR})
  target_link_libraries(GrpcPlain::GrpcPlain INTERFACE
    ${GrpcPlain_FOUND_LIBRARIES})
endif()
