// The names of the routines if a build of BLAS gives them a prefix.
#pragma once

#ifdef ARDVARK_BLAS_PREFIX
#define ARDVARK_JOIN_NAMES(prefix, name) prefix##name
#define ARDVARK_PREFIXED(prefix, name) ARDVARK_JOIN_NAMES(prefix, name)
#define dgemm_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dgemm_)
#define dgesv_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dgesv_)
#define dgemv_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dgemv_)
#define dgeqrf_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dgeqrf_)
#define dlaed1_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dlaed1_)
#define dlaed4_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dlaed4_)
#define dlauum_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dlauum_)
#define dormtr_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dormtr_)
#define dpotrf_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dpotrf_)
#define dpstrf_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dpstrf_)
#define dstedc_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dstedc_)
#define dsymm_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dsymm_)
#define dsymv_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dsymv_)
#define dsyrk_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dsyrk_)
#define dsytrd_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dsytrd_)
#define dtrmm_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dtrmm_)
#define dsyr2k_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dsyr2k_)
#define dlarfg_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dlarfg_)
#define dtrsm_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dtrsm_)
#define dtrmv_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dtrmv_)
#define dtrsv_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dtrsv_)
#define dtrtri_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, dtrtri_)
#define sgemm_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, sgemm_)
#define ssyrk_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, ssyrk_)
#define strmm_ ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, strmm_)
#define openblas_set_num_threads ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, openblas_set_num_threads)
#define openblas_get_num_threads ARDVARK_PREFIXED(ARDVARK_BLAS_PREFIX, openblas_get_num_threads)
#endif
