# BLAS and LAPACK from the Python package scipy-openblas32. Its symbols have a prefix, so that it meets no other OpenBLAS of the process.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND ${Python_EXECUTABLE} -c "import scipy_openblas32 as b; print(b.get_lib_dir() + '/' + b.get_library(fullname=True), end='')"
                OUTPUT_VARIABLE ARDVARK_OPENBLAS RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "The Python package scipy-openblas32 is not there: pip install scipy-openblas32")
endif()
add_library(ardvark_openblas SHARED IMPORTED)
set_target_properties(ardvark_openblas PROPERTIES IMPORTED_LOCATION ${ARDVARK_OPENBLAS})
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/core/blas.cpp PROPERTIES COMPILE_DEFINITIONS ARDVARK_BLAS_PREFIX=scipy_)
add_library(BLAS::BLAS ALIAS ardvark_openblas)
add_library(LAPACK::LAPACK ALIAS ardvark_openblas)
