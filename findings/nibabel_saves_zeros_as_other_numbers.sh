#!/usr/bin/env bash
# nibabel 5.4.2: an image of doubles that is made with the header of an image of int16, Nifti1Image(data, image.affine, image.header), is saved as 65,536
# levels between its smallest and its largest number, without a word. No level need be zero: voxels that are exactly zero are not after reading, so
# that a mask of the voxels that are not zero holds the whole volume; and NaN is read back as that number near zero.
# Expected: zero and NaN, or an error. Seen: 216 voxels that are not zero before, 1000 after; the zeros are 7.1e-07; no NaN is left.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check nibabel==5.4.2 numpy==2.4.6
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import nibabel
import numpy

folder = sys.argv[1]
nibabel.save(nibabel.Nifti1Image(numpy.ones((10, 10, 10), dtype=numpy.int16), numpy.eye(4)), f"{folder}/scan.nii")
scan = nibabel.load(f"{folder}/scan.nii")
volume = numpy.zeros(scan.shape)
volume[2:8, 2:8, 2:8] = numpy.random.default_rng(0).normal(size=(6, 6, 6))


def again(data, name):
    nibabel.save(nibabel.Nifti1Image(data, scan.affine, scan.header), f"{folder}/{name}.nii")
    return nibabel.load(f"{folder}/{name}.nii").get_fdata()


read = again(volume, "map")
gaps = volume.copy()
gaps[0] = numpy.nan
read_gaps = again(gaps, "gaps")
zeros = numpy.unique(read[volume == 0])
print(nibabel.__version__, (volume != 0).sum(), (read != 0).sum(), zeros, numpy.isnan(gaps).sum(), numpy.isnan(read_gaps).sum(), numpy.unique(read_gaps[0]))
same = (read != 0).all() and (volume != 0).sum() == 216 and zeros.size == 1 and 0 < abs(zeros[0]) < 1e-4
same = same and not numpy.isnan(read_gaps).any() and (abs(read_gaps[0]) < 1e-4).all()
raise SystemExit(0 if same else "changed")
PYTHON
