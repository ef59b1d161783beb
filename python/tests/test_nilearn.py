"""Our estimators inside nilearn's decoders, as they are: no adapter is needed."""

import warnings

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, BayesianLogisticRegression

nilearn = pytest.importorskip("nilearn", reason="nilearn is not installed (pip install nilearn): its decoders are not tried")
nibabel = pytest.importorskip("nibabel")
from nilearn.decoding import Decoder, DecoderRegressor  # noqa: E402
from nilearn.maskers import NiftiMasker  # noqa: E402

SHAPE, N = (6, 5, 4), 90
AFFINE = np.diag([12, 12, 12, 1.0])
MASK = nibabel.Nifti1Image(np.ones(SHAPE, np.int8), AFFINE)
SETTINGS = {"mask": MASK, "cv": 3, "screening_percentile": 100, "standardize": None}

rng = np.random.default_rng(0)
X = rng.normal(size=(N, *SHAPE))
SCORE = 2 * X[:, 1, 1, 1] - X[:, 4, 3, 2]
VOLUMES = nibabel.Nifti1Image(np.moveaxis(X, 0, -1), AFFINE)
FLAT = NiftiMasker(MASK, standardize=None).fit().transform(VOLUMES)
Y = SCORE + 0.5 * rng.normal(size=N)
LABELS = np.where(Y > 0, "house", "face")
KINDS = np.array(["cat", "face", "house"])[np.digitize(Y, [-1, 1])]


def fitted(decoder, y):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Use a custom estimator")
        warnings.filterwarnings("ignore", "Brain mask is smaller|.*screening_percentile|.*set to '100'")
        return decoder.fit(VOLUMES, y)


@pytest.mark.parametrize("prior", ["auto", "shared"])
def test_a_regressor(prior):
    decoder = fitted(DecoderRegressor(BayesianLinearRegression(prior), param_grid={}, **SETTINGS), Y)
    assert decoder.coef_.shape == (1, 120) and decoder.coef_img_["beta"].shape[:3] == SHAPE
    folds = [BayesianLinearRegression(prior).fit(FLAT[train], Y[train]) for train, _ in decoder.cv_]
    # One map, of the means over the folds; its spread over folds is no standard deviation of the coefficients.
    np.testing.assert_allclose(decoder.coef_[0], np.mean([fold.coef_ for fold in folds], axis=0), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(decoder.std_coef_[0], np.std([fold.coef_ for fold in folds], axis=0), rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(decoder.predict(VOLUMES).ravel(), np.mean([fold.predict(FLAT) for fold in folds], axis=0), rtol=1e-4, atol=1e-5)
    if prior == "auto":
        assert decoder.std_coef_.mean() < 0.7 * np.mean([fold.coef_std_ for fold in folds])
        assert np.mean(decoder.cv_scores_["beta"]) > 0.8


@pytest.mark.parametrize("y", [LABELS, KINDS], ids=["two classes", "three classes"])
@pytest.mark.parametrize("estimator", [BayesianLogisticRegression(), BayesianLogisticRegression("shared")], ids=repr)
def test_a_classifier(estimator, y):
    decoder = fitted(Decoder(estimator, param_grid={}, scoring="accuracy", **SETTINGS), y)
    classes = np.unique(y)
    assert decoder.coef_.shape == (1 if len(classes) == 2 else 3, 120)
    assert decoder.classes_.tolist() == classes.tolist() and set(decoder.predict(VOLUMES)) <= set(classes)
    assert (decoder.predict(VOLUMES) == y).mean() > 0.8
    assert not hasattr(decoder, "predict_proba")  # as the page says


def test_a_grid():
    decoder = fitted(DecoderRegressor(BayesianLinearRegression(), param_grid={"prior": ["shared", "slab"]}, **SETTINGS), Y)
    assert decoder.cv_params_["beta"]["prior"] == ["slab"] * 3
    # The scores of the folds are the largest of the grid on the same folds.
    by_prior = [[BayesianLinearRegression(prior).fit(FLAT[a], Y[a]).score(FLAT[b], Y[b]) for prior in ("shared", "slab")] for a, b in decoder.cv_]
    np.testing.assert_allclose(decoder.cv_scores_["beta"], np.max(by_prior, axis=1), rtol=1e-4)


def test_without_a_grid_it_warns():
    with pytest.warns(UserWarning, match="param_grid"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Use a custom estimator")
        DecoderRegressor(BayesianLinearRegression(), **SETTINGS).fit(VOLUMES, Y)


def test_maps_of_mean_sd_and_inclusion():
    masker = NiftiMasker(MASK, standardize=None).fit()
    model = BayesianLinearRegression().fit(masker.transform(VOLUMES), Y)
    for values in (model.coef_, model.coef_std_, model.inclusion_):
        volume = masker.inverse_transform(values).get_fdata()
        assert volume.shape == SHAPE
        np.testing.assert_allclose(masker.transform(nibabel.Nifti1Image(volume, AFFINE)).ravel(), values, rtol=1e-6)
    found = masker.inverse_transform(model.inclusion_).get_fdata() > 0.9
    assert sorted(zip(*np.nonzero(found))) == [(1, 1, 1), (4, 3, 2)]


def test_an_encoding_model():
    """Each voxel is a target: fit(features, voxels)."""
    features = rng.normal(size=(N, 3))
    volumes = 0.5 * X
    volumes[:, 2, 2, 2] += features[:, 1]
    masker = NiftiMasker(MASK, standardize=None).fit()
    voxels = masker.transform(nibabel.Nifti1Image(np.moveaxis(volumes, 0, -1), AFFINE))
    model = BayesianLinearRegression("shared").fit(features, voxels)
    explained = masker.inverse_transform(model.target_summary(fdr=0.05).explained.to_numpy().astype(float)).get_fdata()
    assert explained[2, 2, 2] == 1 and explained.sum() <= 3
    assert model.coef_.shape == (120, 3)
