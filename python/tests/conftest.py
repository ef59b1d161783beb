"""One BLAS thread, unless told otherwise: the problems are small, and the machine has other work."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
