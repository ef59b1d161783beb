# What a wheel is built with: OpenBLAS from the Python package scipy-openblas32, and of the header libraries those that the system lacks from
# the other build requirements of pyproject.toml.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter)

# The folder of an installed Python distribution.
function(ardvark_python_folder distribution folder result)
  execute_process(COMMAND ${Python_EXECUTABLE} -c
                          "import importlib.metadata as m; print(m.distribution('${distribution}').locate_file('${folder}'), end='')"
                  OUTPUT_VARIABLE path RESULT_VARIABLE failed ERROR_QUIET)
  if(failed OR NOT EXISTS ${path})
    message(FATAL_ERROR "The Python package ${distribution} is not there: pip install ${distribution}")
  endif()
  file(TO_CMAKE_PATH ${path} path)
  set(${result} ${path} PARENT_SCOPE)
endfunction()

# Its symbols have a prefix, so that it meets no other OpenBLAS of the process: every unit that calls it knows the prefix (core/blas_names.hpp). It
# is looked up, not imported: that loads the library, which may be one of another processor.
ardvark_python_folder(scipy-openblas32 scipy_openblas32/lib openblas)
file(GLOB ARDVARK_OPENBLAS ${openblas}/libscipy_openblas*.so)
if(NOT ARDVARK_OPENBLAS)
  message(FATAL_ERROR "${openblas} has no library of OpenBLAS: pip install --force-reinstall scipy-openblas32")
endif()
add_library(ardvark_openblas SHARED IMPORTED)
set_target_properties(ardvark_openblas PROPERTIES IMPORTED_LOCATION ${ARDVARK_OPENBLAS} INTERFACE_COMPILE_DEFINITIONS ARDVARK_BLAS_PREFIX=scipy_)
add_library(BLAS::BLAS ALIAS ardvark_openblas)
add_library(LAPACK::LAPACK ALIAS ardvark_openblas)

function(ardvark_headers target distribution folder)
  if(NOT TARGET ${target})
    ardvark_python_folder(${distribution} ${folder} path)
    message(STATUS "${target}: not on this system, from the Python package ${distribution}: ${path}")
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${path})
    target_compile_definitions(${target} INTERFACE ${ARGN})
  endif()
endfunction()
find_package(Eigen3 3.4 QUIET NO_MODULE)
find_package(Boost 1.74 QUIET)
find_package(fmt QUIET)
find_package(nlohmann_json QUIET)
ardvark_headers(Eigen3::Eigen cmeel-eigen cmeel.prefix/include/eigen3)
ardvark_headers(Boost::headers libboost-headers libboost_headers/include)
ardvark_headers(fmt::fmt cmeel-fmt cmeel.prefix/include FMT_HEADER_ONLY)
ardvark_headers(nlohmann_json::nlohmann_json nlohmann-json nlohmann_json/include)
