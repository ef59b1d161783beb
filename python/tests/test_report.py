"""Reports: a fit as one page of HTML."""

import hashlib
import pickle
import re
import time
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas
import pytest

import ardvark
from ardvark import (
    BayesianCountRegression,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    KernelClassifier,
    KernelRegressor,
    RelevanceSelector,
    RelevanceVectorRegressor,
    SequentialLogisticRegression,
    _core,
)

RNG = np.random.default_rng(0)
X = pandas.DataFrame(RNG.normal(size=(150, 3)), columns=["age", "height", "weight"])
Y = 2 * X.age - X.height + 0.5 * RNG.normal(size=150)


class Page(HTMLParser):
    """What a browser reads, by the parser of Python: elements with their attributes, and the texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts)


def page_of(model, folder, *arguments, **options):
    path = folder / "report.html"
    assert model.report(path, *arguments, **options) is None
    text = path.read_text("utf-8")
    assert len(text.encode()) < 300_000
    ElementTree.fromstring(text.split("\n", 1)[1])  # each element is closed where it must be
    page = Page(text)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert not [attributes for _, attributes in page.elements if "src" in attributes or not attributes.get("href", "#").startswith("#")]
    assert not re.search(r"url\(|@import|<script", text)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in zip(levels, levels[1:]))
    return page


def test_a_regression_with_its_rows(tmp_path):
    model = BayesianLinearRegression(prior="shared").fit(X, Y)
    page = page_of(model, tmp_path, X, Y, title="Size & <age>")
    assert ("title", {}) in page.elements and "Size & <age>" in page.text
    assert "They are the rows of the fit" in page.text
    assert "BayesianLinearRegression(prior='shared').fit(X, y)" in page.text
    assert hashlib.sha256(np.column_stack([X, Y]).astype("<f8").tobytes()).hexdigest() in page.text
    assert f"{model.score(X, Y):.4f}" in page.text


def test_other_rows_with_gaps_in_their_target(tmp_path):
    model = BayesianLinearRegression().fit(X[:100], Y[:100])
    y = Y[100:].where(Y[100:] > Y[100:].min())
    page = page_of(model, tmp_path, X[100:], y)
    assert "50 rows; 49 have a known target" in page.text
    assert "They are other rows than those of the fit" in page.text


def test_labels_of_any_kind_and_a_class_that_the_fit_has_not_seen(tmp_path):
    labels = pandas.Series(np.where(Y > 0, "yes", "no"), dtype=object)
    model = BayesianLogisticRegression().fit(X, labels)
    page = page_of(model, tmp_path, X, labels)
    assert "They are the rows of the fit" in page.text and "Calibration of the probabilities" in page.text
    labels[0], labels[1] = "perhaps", None
    assert "148 have a class of the fit, and only they are compared" in page_of(model, tmp_path, X, labels).text
    numbers = BayesianLogisticRegression(coding="softmax").fit(X, np.digitize(Y, [-1, 1]))
    assert "They are the rows of the fit" in page_of(numbers, tmp_path, X, np.digitize(Y, [-1, 1])).text


@pytest.mark.parametrize("machine", [KernelRegressor(), RelevanceVectorRegressor()])
def test_curves_of_machines(machine, tmp_path):
    page = page_of(machine.fit(X[["age"]], Y), tmp_path, X[["age"]], Y)
    assert "target over age" in page.text and "They are the rows of the fit" in page.text


def test_levels_of_a_text_column_of_a_machine(tmp_path):
    table = X.assign(group=np.where(X.weight > 0, "<big>", "small"))
    page = page_of(KernelClassifier().fit(table, Y > 0), tmp_path)
    assert "probability of True for each level of group" in page.text and "<big>" in page.text


def test_counts_with_an_offset(tmp_path):
    y, offset = RNG.poisson(np.exp(1 + 0.5 * X.age)), np.full(150, 0.1)
    model = BayesianCountRegression().fit(X, y, offset=offset)
    assert "They are the rows of the fit" in page_of(model, tmp_path, X, y, offset=offset).text


def test_a_table_with_texts_and_gaps_that_the_fit_imputes(tmp_path):
    table = X.assign(sex=np.where(RNG.random(150) < 0.5, "female", "male"))
    table.loc[3, "age"], table.loc[9, "sex"] = np.nan, None
    page = page_of(BayesianLinearRegression(missing="impute").fit(table, Y), tmp_path, table, Y)
    assert "imputed 20 times: age (1) and sex (1)" in page.text
    assert "are compared with" in page.text


def test_the_file_that_the_rows_come_from(tmp_path):
    (tmp_path / "rows & more.csv").write_text("abc")
    model = BayesianLinearRegression().fit(X, Y)
    page = page_of(model, tmp_path, X, Y, file=tmp_path / "rows & more.csv")
    assert "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  rows & more.csv" in page.text
    assert str(tmp_path) not in page.text


def test_a_loaded_model_has_the_same_page_but_for_what_a_file_does_not_hold(tmp_path):
    model = BayesianLinearRegression(prior="ard").fit(X, Y)
    model.save(tmp_path / "model.ardvark")
    (again := ardvark.load(tmp_path / "model.ardvark")).report(tmp_path / "again.html", X, Y)
    model.report(tmp_path / "first.html", X, Y)
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "first.html").read_bytes()
    assert type(again) is type(model)


def test_a_loaded_model_has_the_call_of_its_own_fit_or_none(tmp_path):
    """An estimator has no parameter for most presets of the program, and a file of an earlier version does not hold its options."""
    for preset, command in [
        ("vb_logit_fit", "ardvark fit TABLE.csv --target kind --preset vb_logit_fit -o model.ardvark"),
        ("slr_lap", "SparseLogisticRegression(algorithm='slr_lap').fit(X, y)"),
    ]:
        names = {"target": "kind", "column_names": list(X), "class_names": ["no", "yes"]}
        _core.fit(X.to_numpy(), (Y > 0).to_numpy(float), preset=preset, **names).save(tmp_path / "model.ardvark")
        page = page_of(ardvark.load(tmp_path / "model.ardvark"), tmp_path)
        assert command in page.text
    earlier = page_of(ardvark.load(Path(__file__).parents[2] / "tests/data/models/earlier/linear_ard.ardvark"), tmp_path)
    assert "does not hold the options of its fit" in earlier.text and ".fit(X, y)" not in earlier.text
    stream = SequentialLogisticRegression().fit(X, Y > 0)
    assert "SequentialLogisticRegression().fit(X, y)" in page_of(stream, tmp_path).text


def test_many_targets(tmp_path):
    targets = pandas.DataFrame({"<a>": Y, "b": X.weight + 0.1 * RNG.normal(size=150), "noise": RNG.normal(size=150)})
    model = BayesianLinearRegression("shared").fit(X, targets)
    page = page_of(model, tmp_path, X, targets[["noise", "<a>", "b"]], fdr=0.05)
    assert "at a rate of false discoveries of 0.05" in page.text and "<a>" in page.text
    cells = [text.strip() for text in page.texts]
    assert cells[cells.index("<a>", cells.index("Root mean squared error")) + 2] == f"{r2(targets['<a>'], model.predict(X)[:, 0]):.3f}"
    targets.iloc[4, 1] = np.nan
    assert "150 rows" in page_of(model, tmp_path, X, targets).text
    assert page_of(model, tmp_path)
    with pytest.raises(ValueError, match="fdr is 1"):
        model.report(tmp_path / "r.html", fdr=1)
    with pytest.raises(ValueError, match="level is of the intervals of one target"):
        model.report(tmp_path / "r.html", level=0.9)
    with pytest.raises(ValueError, match="fdr is of a report of many targets"):
        BayesianLinearRegression("shared").fit(X, targets["noise"]).report(tmp_path / "r.html", fdr=0.05)
    with pytest.raises(ValueError, match="give X and y, or neither"):
        model.report(tmp_path / "r.html", X)
    with pytest.raises(ValueError, match="no column 'b'"):
        model.report(tmp_path / "r.html", X, targets[["<a>"]])


def r2(y, predicted):
    return 1 - ((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def test_comparisons_and_selections(tmp_path):
    comparison = ardvark.compare(X, Y, priors=["shared", "dense"], report=tmp_path / "c.html")
    page = Page((tmp_path / "c.html").read_text("utf-8"))
    assert comparison.verdict in page.text and "ardvark.compare(X, y, task='regression', priors=['shared', 'dense'])" in page.text
    selector = RelevanceSelector(by="counts", folds=3, repeats=2).fit(X, Y > 0)
    selector.report(tmp_path / "s.html")
    page = Page((tmp_path / "s.html").read_text("utf-8"))
    assert "RelevanceSelector(by='counts', folds=3, repeats=2).fit(X, y)" in page.text
    cells = [text.strip() for text in page.texts]
    assert cells[cells.index("age", cells.index("Kept in fits")) + 1] == str(selector.counts_[0])
    for other in (pickle.loads(pickle.dumps(selector)), RelevanceSelector().fit(X, Y)):
        with pytest.raises(ValueError, match="by='counts', and not from a pickle"):
            other.report(tmp_path / "s.html")


def test_names_with_markup_stay_texts(tmp_path):
    names = ["<script>alert(1)</script>", '" onload="alert(2)', "a&lt;b"]
    page = page_of(BayesianLinearRegression().fit(X.set_axis(names, axis=1), Y), tmp_path)
    assert all(name in page.text for name in names)
    assert not [tag for tag, attributes in page.elements if tag == "script" or any(name.startswith("on") for name in attributes)]


def contrast(one, other):
    """Of two colours, by WCAG 2."""

    def luminance(colour):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_colours_can_be_told_apart(tmp_path):
    BayesianLinearRegression().fit(X, Y).report(tmp_path / "r.html")
    style = re.search("<style>(.*?)</style>", (tmp_path / "r.html").read_text("utf-8"), re.S)[1]
    schemes = [dict(re.findall(r"--([a-z-]+):(#[0-9a-f]+)", rule)) for rule in re.findall(r":root\{([^}]*)\}", style)]
    assert len(schemes) == 3  # light, dark, paper
    for colours in schemes:
        for text, page in [("text", "page"), ("text", "soft"), ("quiet", "page"), ("mark", "page"), ("alarm", "alarm-page"), ("text", "alarm-page")]:
            assert contrast(colours[text], colours[page]) >= 4.5, (text, page, colours)
        for drawn in ("mark", "weak", "alarm"):  # lines and dots
            assert contrast(colours[drawn], colours["page"]) >= 3, (drawn, colours)


def test_what_is_refused(tmp_path):
    model = BayesianLinearRegression().fit(X, Y)
    with pytest.raises(ValueError, match="give X and y, or neither"):
        model.report(tmp_path / "r.html", X)
    with pytest.raises(ValueError, match="y is the text 'y'; a report takes the values"):
        model.report(tmp_path / "r.html", X, "y")
    with pytest.raises(ValueError, match="weight"):
        model.report(tmp_path / "r.html", X[["age", "height"]], Y)
    with pytest.raises(ValueError, match="level is 2"):
        model.report(tmp_path / "r.html", level=2)
    with pytest.raises(ValueError, match="inconsistent"):
        model.report(tmp_path / "r.html", X, Y[:10])
    with pytest.raises(OSError, match="no_folder"):
        model.report(tmp_path / "no_folder" / "r.html")
    sparse = pytest.importorskip("scipy.sparse")
    of_arrays = BayesianLinearRegression().fit(X.to_numpy(), Y)
    with pytest.raises(ValueError, match="X is sparse"):
        of_arrays.report(tmp_path / "r.html", sparse.csr_array(X.to_numpy()), Y)
    assert not list(tmp_path.iterdir())


def test_a_thousand_columns_take_a_second(tmp_path):
    wide = RNG.normal(size=(500, 1000))
    y = wide[:, 0] - wide[:, 1] + RNG.normal(size=500)
    model = BayesianLinearRegression().fit(wide, y)
    before = time.process_time()
    page = page_of(model, tmp_path, wide, y)
    assert time.process_time() - before < 3  # on a busy machine
    assert "The table has the 100 largest of 1000 columns" in page.text
