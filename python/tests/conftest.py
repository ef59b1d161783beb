"""One BLAS thread, unless told otherwise: the problems are small, and the machine has other work."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Files whose tests take more than some seconds together: scripts/test --quick leaves them out.
LONG = {
    "test_array_likes",
    "test_check_estimator",
    "test_dask",
    "test_docs",
    "test_gallery",
    "test_honest",
    "test_honest_bench",
    "test_honest_subsets",
    "test_kernel_width",
    "test_processes",
    "test_properties",
    "test_sparse_reference",
    "test_tutorials",
    "test_types",
    "test_wheel",
}


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.stem in LONG:
            item.add_marker("long")
    items.sort(key=lambda item: item.get_closest_marker("long") is None)  # long ones first: at the end no worker waits for one of them
