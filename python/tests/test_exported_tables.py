"""Files of CSV as other programs export them, by their paths: the fit of the plain table, as the shell makes it, and a note about the form."""

import gzip
import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas
import pytest

import ardvark

PROGRAM = Path(__file__).parents[2] / "build" / "bin" / "ardvark"


def table(n=300):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 2))
    return pandas.DataFrame({"a": x[:, 0].round(4), "b": x[:, 1].round(4), "y": (x[:, 0] - x[:, 1] + rng.normal(size=n)).round(4)}).assign(k=lambda t: (t.y > 0).astype(int))


def ended(text, end):
    header, _, rows = text.partition("\n")
    return header + "\n" + rows.replace("\n", end + "\n")


FORMS = {
    "semicolons and commas": (lambda t: t.to_csv(index=False, sep=";", decimal=","), ["separated by ';'", "decimal comma"]),
    "tabs": (lambda t: t.to_csv(index=False, sep="\t"), ["separated by a tab"]),
    "a line of Excel": (lambda t: "sep=;\n" + t.to_csv(index=False, sep=";"), ["line 1 ('sep=;')"]),
    "a delimiter at the end": (lambda t: ended(t.to_csv(index=False), ","), ["ends with a delimiter"]),
    "a quoted field at the end": (lambda t: ended(t.to_csv(index=False, sep=";"), ';""'), ["separated by ';'", "ends with a delimiter"]),
    "an empty column": (lambda t: t.to_csv(index=False).replace("\n", ",\n"), ["column 4, which has no name in the header, is empty"]),
    "an index": (lambda t: t.iloc[::-1].to_csv(), ["holds row names"]),
    "row names of R": (lambda t: t.rename(index="r{}".format).to_csv()[1:], ["holds row names"]),
}


def estimators():
    return [
        (ardvark.BayesianLinearRegression("shared"), "y", ["k"]),
        (ardvark.BayesianLogisticRegression("shared"), "k", ["y"]),
        (ardvark.KernelRegressor(), "y", ["k"]),
    ]


@pytest.mark.parametrize("form", FORMS)
def test_are_fitted_and_predicted_as_the_plain_table(form, tmp_path):
    write, notes = FORMS[form]
    whole = table()
    for estimator, target, unused in estimators():
        rows = whole.drop(columns=unused)
        text = write(rows)
        (tmp_path / "t.csv").write_text(text)
        (tmp_path / "plain.csv").write_text((rows.iloc[::-1] if form == "an index" else rows).to_csv(index=False))
        plain = type(estimator)(**estimator.get_params()).fit(str(tmp_path / "plain.csv"), target)
        found = estimator.fit(str(tmp_path / "t.csv"), target)
        assert list(found.feature_names_in_) == list(plain.feature_names_in_)
        expected = [np.asarray(p) for p in plain.predict_batches(str(tmp_path / "plain.csv"))]
        np.testing.assert_allclose(np.concatenate([np.asarray(p) for p in found.predict_batches(str(tmp_path / "t.csv"))]), np.concatenate(expected), rtol=1e-12)
        said = [note for note in found.notes_ if note not in plain.notes_]
        assert len(said) == len(notes)
        for part, note in zip(notes, said):
            assert part in note and "--" not in note


def test_files_of_a_folder_may_differ_in_form(tmp_path):
    whole = table().drop(columns="k")
    (tmp_path / "t").mkdir()
    for number, (write, _) in enumerate([FORMS["semicolons and commas"], FORMS["a line of Excel"], FORMS["tabs"]]):
        (tmp_path / "t" / f"{number}.csv").write_text(write(whole[number::3]))
    (tmp_path / "t" / "2a.csv").write_text("a;b;y\n")
    (tmp_path / "t" / "3.csv").write_text(whole[["b", "y", "a"]].to_csv(index=False))
    model = ardvark.BayesianLinearRegression("shared").fit(str(tmp_path / "t"), "y")
    expected = ardvark.BayesianLinearRegression("shared").fit(pandas.concat([whole, whole]), target="y")
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    words = [PROGRAM, "fit", tmp_path / "t", "--target", "y", "--model", "linear", "--prior", "shared", "--json"]
    assert '"num_rows":600' in subprocess.run(words, check=True, capture_output=True, text=True).stdout


def test_packed_files_are_read_in_their_form(tmp_path):
    whole = table().drop(columns="k")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(FORMS["semicolons and commas"][0](whole).encode()))
    model = ardvark.BayesianLinearRegression("shared").fit(str(tmp_path / "t.csv.gz"), "y")
    np.testing.assert_allclose(model.coef_, ardvark.BayesianLinearRegression("shared").fit(whole, target="y").coef_, rtol=1e-9)


def test_what_cannot_be_read_is_refused_in_words_of_python(tmp_path):
    def refused(text):
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(ValueError) as error:
            ardvark.BayesianLinearRegression("shared").fit(str(tmp_path / "t.csv"), "y")
        assert not re.search(r"--[a-z]", str(error.value)), error.value
        return str(error.value)

    plain = table(40).drop(columns="k").to_csv(index=False)
    assert "row 1 (line 2) of" in refused(plain.replace("\n", ",\n", 2).replace(",\n", "\n", 1))
    assert "ends with a delimiter" in refused(plain + "1,2,3,\n")
    assert "line 4 ('a,b,y')" in refused("Reader 7\nserial 12\n\n" + plain)
    for word in ("OVER", "<0.05", "#DIV/0!", "n.d."):
        assert f"missing_marker=['{word}']" in refused(plain + f"{word},2,3\n")
        assert f"missing_marker=['{word}']" in refused(plain.replace("\n", f"\n{word},2,3\n", 1))
    assert "missing_marker=['<1', '<2']" in refused("a,b,y\n<1,2,3\n<2,2,3\n4,5,6\n")
    for words in (["1'103.68", "1'246.49"], ["5' 11"], ["5' 11", "6' 12"], ["'x'"]):
        said = refused("a,b,y\n" + "".join(f"{word},2,3\n" for word in words) + "4,5,6\n7,8,9\n")
        assert f"missing_marker={words!r})" in said and f"na_values={words!r})" in said
    units = refused("a;y\nmm;s\n1;2\n2;3\n")
    assert "missing_marker=['mm']" in units and "if row 1 belongs to the header, as units do, leave it out" in units
    assert "decimal=','" in refused(plain + '"1,5",2,3\n')
    assert "write 1.500 (or give decimal=',' to ardvark.CsvFiles(path, ...)) or 1500" in refused(plain + '"1,500",2,3\n')
    assert "has no name in the header" in refused(plain.replace("a,b,y", "a,,y"))
    (tmp_path / "t.csv").write_text("a;y\n1,5;2\n")
    with pytest.raises(ValueError, match=r"if ';' separates the fields, give delimiter=';' to ardvark.CsvFiles\(path, \.\.\.\)$"):
        ardvark.BayesianLinearRegression("shared").fit(ardvark.CsvFiles(tmp_path / "t.csv", delimiter=","), "y")
    late = plain.replace("a,b,y\n", "a,b,y\n" + "1,2,3\n" * 5000).replace("\n", ",\n")
    assert "has the value '9' in a field that has no name" in refused(late + "1,2,3,9\n")


def test_a_word_among_numbers_in_memory_is_answered_with_missing_values():
    rows = table(40).astype({"a": object})
    rows.loc[7, "a"] = "OVER"
    with pytest.raises(ValueError, match="'OVER' at row 8.*to_numeric.*errors='coerce'"):
        ardvark.BayesianLinearRegression("shared").fit(rows, target="y")


def exported(form):
    """A table as a program may write it, the words for the shell, and those for Python."""
    rows = table(120).drop(columns="k")
    texts = {
        "bars": lambda: rows.to_csv(index=False, sep="|"),
        "blanks": lambda: rows.to_csv(index=False, sep=" "),
        "tildes": lambda: rows.to_csv(index=False, sep="~"),
        "one column of commas": lambda: rows[["a", "y"]].to_csv(index=False, sep=";", decimal=","),
        "decimal commas in quotes": lambda: rows.map(lambda x: f"{x:.4f}".replace(".", ",")).to_csv(index=False),
        "decimal commas and tabs": lambda: rows.to_csv(index=False, sep="\t", decimal=","),
    }
    words = {
        "bars": {"delimiter": "|"},
        "blanks": {"delimiter": " "},
        "tildes": {"delimiter": "~"},
        "one column of commas": {"delimiter": ";", "decimal": ","},
        "decimal commas in quotes": {"decimal": ","},
        "decimal commas and tabs": {"decimal": ",", "delimiter": "\t"},
    }
    return texts[form](), words[form]


@pytest.mark.parametrize("form", ["bars", "blanks", "tildes", "one column of commas", "decimal commas in quotes", "decimal commas and tabs"])
def test_a_form_that_is_given_is_read_as_the_shell_reads_it(form, tmp_path):
    text, words = exported(form)
    (tmp_path / "t.csv").write_text(text)
    source = ardvark.CsvFiles(tmp_path / "t.csv", **words)
    model = ardvark.BayesianLinearRegression("shared").fit(source, "y")
    given = [word for name, value in words.items() for word in (f"--{name}", value)]
    shell = subprocess.run([PROGRAM, "fit", tmp_path / "t.csv", "--target", "y", "--model", "linear", "--prior", "shared", "--json", *given], capture_output=True, text=True)
    assert shell.returncode == 0, shell.stderr
    found = json.loads(shell.stdout)
    assert found["columns"] == list(model.columns_)
    np.testing.assert_allclose(found["mean"], model.coef_, rtol=1e-9)
    np.testing.assert_allclose(np.concatenate(list(model.predict_batches(source))), model.predict(table(120)[list(model.feature_names_in_)]), rtol=1e-9)


def test_a_marker_that_is_a_number_means_its_value(tmp_path):
    rows = table(120)
    rows.loc[7, "a"] = -999  # pandas writes -999.0 beside decimals
    rows.to_csv(tmp_path / "t.csv", index=False)
    model = ardvark.BayesianLinearRegression("shared", missing="drop").fit(ardvark.CsvFiles(tmp_path / "t.csv", missing_marker="-999"), "y")
    known = ardvark.BayesianLinearRegression("shared").fit(rows.drop(index=7), target="y")
    np.testing.assert_allclose(model.coef_, known.coef_, rtol=1e-9)
    with pytest.raises(ValueError, match="missing_marker has the entry -999; each must be a text, such as '-999'"):
        ardvark.CsvFiles(tmp_path / "t.csv", missing_marker=-999)


@pytest.mark.parametrize("marker", ["OVER", "<0.05", "#DIV/0!", "n.d.", "-999"])
def test_a_marker_that_a_message_advises_is_a_missing_value(marker, tmp_path):
    rows = table(120).drop(columns="y").astype(str).assign(city=np.resize(["u", "v"], 120))
    rows.loc[7, "a"] = rows.loc[50, "city"] = marker
    rows.to_csv(tmp_path / "t.csv", index=False)
    if marker != "-999":  # which is a number
        with pytest.raises(ValueError, match="ardvark.CsvFiles.path, missing_marker=") as error:
            ardvark.BayesianLogisticRegression("shared", missing="drop").fit(tmp_path / "t.csv", "k")
        assert f"missing_marker=['{marker}']" in str(error.value)
    source = ardvark.CsvFiles(tmp_path / "t.csv", missing_marker=marker)
    model = ardvark.BayesianLogisticRegression("shared", missing="drop").fit(source, "k")
    words = ["--model", "logistic", "--prior", "shared", "--json", "--missing", "drop", f"--missing-marker={marker}"]
    shell = json.loads(subprocess.run([PROGRAM, "fit", tmp_path / "t.csv", "--target", "k", *words], capture_output=True, text=True, check=True).stdout)
    assert shell["num_rows"] == 118 and shell["columns"] == list(model.columns_)
    np.testing.assert_allclose(shell["mean"], np.ravel(model.coef_), rtol=1e-6)
    with pytest.raises(ValueError, match="row 8, column .a.: the value is missing"):
        ardvark.BayesianLogisticRegression("shared").fit(source, "k")


def test_a_form_that_cannot_be_is_refused_by_name(tmp_path):
    for words, message in [({"delimiter": ";;"}, "delimiter is ';;'; it must be one character"), ({"decimal": ";"}, "decimal is ';'; it must be '.' or ','"), ({"missing_marker": [3]}, "missing_marker has the entry 3")]:
        with pytest.raises(ValueError, match=message):
            ardvark.CsvFiles(tmp_path / "t.csv", **words)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        ardvark.BayesianLinearRegression().fit(ardvark.CsvFiles(tmp_path / "none.csv", decimal=","), "y")


NUMBERS = ("1.5", "-2.25", "0.75", "12", "3.25", "-0.5", "8", "2.75")


def written(form):
    """A table with the columns a and y, of which a is a number to a person."""
    marks = {"1.234,5": lambda x: "1." + f"{abs(float(x)) * 37 + 200:.2f}".replace(".", ","), "decimal commas in quotes": lambda x: '"' + x.replace(".", ",") + '"', "formulas": lambda x: f'="{x}"', "formulas in quotes": lambda x: f'"=""{x}"""'}
    delimiter = ";" if form == "1.234,5" else ","
    decimal = "," if form == "1.234,5" else "."
    rows = [f"{marks[form](x)}{delimiter}{float(x) + i / 8}".replace(".", ".") for i, x in enumerate(NUMBERS)]
    if decimal == ",":
        rows = [row.split(delimiter)[0] + delimiter + row.split(delimiter)[1].replace(".", ",") for row in rows]
    return f"a{delimiter}y\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("form", ["1.234,5", "decimal commas in quotes", "formulas", "formulas in quotes"])
def test_numbers_in_a_notation_that_the_shell_refuses_are_never_levels(form, tmp_path):
    (tmp_path / "t.csv").write_text(written(form))
    shell = subprocess.run([PROGRAM, "fit", tmp_path / "t.csv", "--target", "y", "--model", "linear"], capture_output=True, text=True)
    assert shell.returncode == 2
    for estimator in (ardvark.BayesianLinearRegression("shared"), ardvark.KernelRegressor()):
        with pytest.raises(ValueError, match=r"row 1 \(line 2\) of .*, column 'a': .*; (write|give)") as error:
            estimator.fit(tmp_path / "t.csv", "y")
        assert not re.search(r" --[a-z]", str(error.value))


def test_blanks_around_names_are_no_part_of_them(tmp_path):
    whole = table(60).drop(columns="k")
    (tmp_path / "t.csv").write_text("a, b ,  y\n" + whole.to_csv(index=False, header=False))
    model = ardvark.BayesianLinearRegression("shared").fit(tmp_path / "t.csv", "y")
    assert list(model.feature_names_in_) == ["a", "b"]
    np.testing.assert_allclose(np.concatenate(list(model.predict_batches(tmp_path / "t.csv"))), model.predict(whole[["a", "b"]]), rtol=1e-12)


@pytest.mark.parametrize(
    "before, words",
    [("# Station 5, north\n", "line 2 .'a,b,y'"), ("Report of 2024; plant A\n", "line 2 .'a,b,y'"), ("Peaks, areas, 2 m\n\n", "line 3 .'a,b,y'"), ("# x, y, z\n# u, v, w\n", "line 3 .'a,b,y'")],
)
def test_lines_before_the_header_are_told(before, words, tmp_path):
    (tmp_path / "t.csv").write_text(before + table(20).drop(columns="k").to_csv(index=False))
    with pytest.raises(ValueError, match=words):
        ardvark.BayesianLinearRegression("shared").fit(tmp_path / "t.csv", "y")


@pytest.mark.parametrize("end, words", [("End of file\n", "if the table ends before it"), ("\nMeasured by N, 2024\n", "if the table ends before it"), ("Total,,12\n", "if this row sums up others, leave it out")])
def test_lines_after_the_table_are_told(end, words, tmp_path):
    (tmp_path / "t.csv").write_text(table(20).drop(columns="k").to_csv(index=False) + end)
    with pytest.raises(ValueError, match=words):
        ardvark.BayesianLinearRegression("shared").fit(tmp_path / "t.csv", "y")


def test_spellings_of_a_number_are_one_level():
    texts = np.resize(["100000", "1e+05", "1.0", "1.000000e+00", ".1", "0.1", "007"], 70).tolist()
    model = ardvark.BayesianLinearRegression("shared").fit(pandas.DataFrame({"code": texts, "y": np.arange(70.0) % 7}), target="y")
    assert {name.split("=")[1] for name in model.columns_} < {"0.1", "1", "100000", "007"} and len(model.columns_) == 3
    assert len(set(model.predict(pandas.DataFrame({"code": ["1e+05", "100000", "100000.0", "1E+05"]})))) == 1


@pytest.mark.parametrize("form", ["1.{0}+003", "0x{0}", "{0}-{1}", "12,34,{0}", "{0}-Jan-2024", "{0}.5 %", "{0} 1/2", "{0}\u2009234", "{0}e5 m", "({0}, {1})", "a{0}b{0}", "{0}k7", "{0}?{0}"])
def test_digits_in_a_text_of_nearly_every_row_are_never_silent(form):
    texts = [form.format(100 + 7 * i, 105 + 7 * i) for i in range(40)]
    for rows in ({"a": texts, "y": np.arange(40.0) % 7}, {"a": texts, "y": ["u", "v"] * 20}):
        model = ardvark.BayesianLinearRegression("shared") if rows["y"][0] == 0 else ardvark.BayesianLogisticRegression("shared")
        with pytest.warns(UserWarning, match="column 'a'"):
            model.fit(pandas.DataFrame(rows), target="y")


def test_a_header_that_begins_with_a_mark_is_noted(tmp_path):
    (tmp_path / "t.csv").write_text("#" + table(20).drop(columns="k").to_csv(index=False))
    model = ardvark.BayesianLinearRegression("shared").fit(tmp_path / "t.csv", "y")
    assert list(model.feature_names_in_) == ["#a", "b"]
    assert any("begins with '#', which is part of the name '#a'" in note for note in model.notes_)


def fitted_by_the_shell(folder, levels, *words):
    """A model of the shell of a text column with these levels, its table, and the shell's predictions of it."""
    rng = np.random.default_rng(8)
    codes = np.resize(levels, 60)
    x = rng.normal(size=60).round(3)
    y = (np.resize(range(len(levels)), 60) * 100 + x + 0.1 * rng.normal(size=60)).round(3)
    pandas.DataFrame({"y": y, "code": codes, "x": x}).to_csv(folder / "t.csv", index=False)
    given = ["--target", "y", "--model", "linear", "--prior", "none", "-q", "-o", folder / "m.ardvark", *words]
    subprocess.run([PROGRAM, "fit", folder / "t.csv", *given], check=True, capture_output=True)
    shell = subprocess.run([PROGRAM, "predict", folder / "m.ardvark", folder / "t.csv"], check=True, capture_output=True, text=True)
    (folder / "p.csv").write_text(shell.stdout)
    return ardvark.load(folder / "m.ardvark"), folder / "t.csv", pandas.read_csv(folder / "p.csv")["mean"].to_numpy()


@pytest.mark.parametrize("levels", [["007", "7", "5"], ["1E5", "0100000", "5"], ["A7", "1", "2"], ["1", "2", "A7"], ["-", "1", "2"], ["0x1F", "31", "5"], ["A7", " 1", "02", "3e1"]])
@pytest.mark.parametrize("write", ["plain", "semicolons"])
def test_levels_that_look_like_numbers_are_predicted_by_path_as_by_the_shell(levels, write, tmp_path):
    model, path, expected = fitted_by_the_shell(tmp_path, levels, "--categorical", "code")
    if write == "semicolons":
        pandas.read_csv(path, dtype={"code": str}, keep_default_na=False).to_csv(path, sep=";", decimal=",", index=False)
    np.testing.assert_allclose(np.concatenate(list(model.predict_batches(path))), expected, atol=6e-3)
    model.predict_to(path, tmp_path / "out.parquet", keep=["code"])
    assert pandas.read_parquet(tmp_path / "out.parquet")["code"].tolist() == np.resize(levels, 60).tolist()


@pytest.mark.parametrize("gap", ["", " ", '""', '"  "', "NA", "null", "?"])
def test_a_text_that_is_missing_is_no_level(gap, tmp_path):
    text = "y,x,site\n" + "".join(f"{i % 7},{i % 5},{['north', 'south', gap][i % 3]}\n" for i in range(60))
    (tmp_path / "t.csv").write_text(text)
    for estimator in (ardvark.BayesianLinearRegression("shared"), ardvark.KernelRegressor()):
        with pytest.raises(ValueError, match="row 3(, column 'site': the value is missing| has no value in column 'site')"):
            estimator.fit(tmp_path / "t.csv", "y")
    words = ["fit", tmp_path / "t.csv", "--target", "y", "--model", "linear", "--prior", "none", "--missing", "impute", "-q", "-o", tmp_path / "m"]
    subprocess.run([PROGRAM, *words], check=True, capture_output=True)
    shell = subprocess.run([PROGRAM, "predict", tmp_path / "m", tmp_path / "t.csv"], check=True, capture_output=True, text=True)
    expected = [float(line.split(",")[0]) for line in shell.stdout.splitlines()[1:]]
    found = np.concatenate(list(ardvark.load(tmp_path / "m").predict_batches(tmp_path / "t.csv")))
    np.testing.assert_allclose(found, expected, atol=6e-3)


@pytest.mark.parametrize("gap", [" ", "     ", "?"])
def test_a_blank_among_numbers_is_a_missing_value(gap, tmp_path):
    (tmp_path / "t.csv").write_text("k,x,z\n" + "".join(f"{'uv'[i % 2]},{i % 5},{gap if i % 9 == 4 else i % 11 / 4}\n" for i in range(60)))
    model = ardvark.BayesianLogisticRegression("shared", missing="drop").fit(tmp_path / "t.csv", "k")
    assert model.columns_ == ["x", "z"]
    with pytest.raises(ValueError, match="row 5.*column 'z'.*missing"):
        ardvark.BayesianLogisticRegression("shared").fit(tmp_path / "t.csv", "k")


@pytest.mark.parametrize("write", ["plain", "semicolons"])
def test_hexadecimal_texts_are_levels_and_no_numbers(write, tmp_path):
    rows = table(60)[["y", "a"]].assign(code=np.resize(["0x1F", "0X10", "0x2a"], 60))
    rows.to_csv(tmp_path / "t.csv", index=False, **({"sep": ";", "decimal": ","} if write == "semicolons" else {}))
    for estimator in (ardvark.BayesianLinearRegression("shared"), ardvark.BayesianLinearRegression("sparse")):
        model = estimator.fit(tmp_path / "t.csv", "y")
        expected = type(estimator)(estimator.prior).fit(rows, target="y")
        assert model.columns_ == expected.columns_ and len(model.columns_) == 3
        np.testing.assert_allclose(np.concatenate(list(model.predict_batches(tmp_path / "t.csv"))), expected.predict(rows), rtol=1e-7)
    numbers = ardvark.BayesianLinearRegression("shared").fit(rows.assign(code=np.resize([31.0, 16.0, 42.0], 60)), target="y")
    with pytest.raises(ValueError, match="row 1, column 'code': '0x1F' is a text, but the model was fitted to numbers"):
        list(numbers.predict_batches(tmp_path / "t.csv"))


def test_hexadecimal_texts_of_nearly_every_row_are_warned_of(tmp_path):
    table(60)[["y", "a"]].assign(code=[f"0x{37 * i + 5:X}" for i in range(60)]).to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(ardvark.ArdvarkWarning, match="'code': nearly all of its texts are numbers to the base 16"):
        ardvark.BayesianLinearRegression("shared").fit(tmp_path / "t.csv", "y")


TIMES = {
    "days": lambda number: f"2024-{1 + number % 12:02}-{1 + number % 7:02}",
    "stamps": lambda number: f"2024-01-{1 + number % 12:02}T10:00:00Z",
    "times": lambda number: f"{number % 24:02}:30",
}


@pytest.mark.parametrize("kind", TIMES)
def test_dates_and_times_are_texts_that_are_warned_of_as_in_memory_and_in_the_shell(kind, tmp_path):
    whole = table().assign(when=[TIMES[kind](number) for number in range(300)])
    for estimator, target, unused in estimators()[:2]:
        rows = whole.drop(columns=unused)
        rows.to_csv(tmp_path / "t.csv", index=False)
        (tmp_path / "folder").mkdir(exist_ok=True)
        rows[:150].assign(when=rows.when.where(rows.index > 0, "unknown")).to_csv(tmp_path / "folder/1.csv", index=False)
        rows[150:].to_csv(tmp_path / "folder/2.csv", index=False)
        words = r"text column 'when': nearly all of its texts are (dates|times or durations) \('.*'\); make numbers of them"
        shell = subprocess.run([PROGRAM, "fit", tmp_path / "t.csv", "--target", target, "--prior", "shared"], capture_output=True, text=True, check=True)
        assert re.search(words, shell.stderr + shell.stdout)
        with pytest.warns(ardvark.ArdvarkWarning, match=words):
            expected = type(estimator)("shared").fit(rows, target)
        for source in ("t.csv", "folder"):
            with pytest.warns(ardvark.ArdvarkWarning, match=words):
                model = type(estimator)("shared").fit(tmp_path / source, target)
            if source == "t.csv":
                assert model.columns_ == expected.columns_
                np.testing.assert_allclose(np.concatenate(list(model.predict_batches(tmp_path / "t.csv"))), expected.predict(rows), rtol=1e-7)
            else:
                assert any(name.endswith("unknown") for name in model.columns_)


def test_a_date_beside_predictions_stays_a_date(tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    rows = table()[["y", "a"]]
    model = ardvark.BayesianLinearRegression("shared").fit(rows, "y")
    rows.assign(when="2024-02-29").to_csv(tmp_path / "t.csv", index=False)
    model.predict_to(tmp_path / "t.csv", tmp_path / "p.parquet", keep=["when"])
    assert str(pyarrow.read_schema(tmp_path / "p.parquet").field("when").type) == "date32[day]"


def test_hexadecimal_texts_after_numbers_of_another_file_are_refused(tmp_path):
    rows = table(60)[["y", "a"]]
    rows.assign(code=np.resize([31, 16, 42], 60)).to_csv(tmp_path / "1.csv", index=False)
    rows.assign(code=np.resize(["0x1F", "0x10", "0x2A"], 60)).to_csv(tmp_path / "2.csv", index=False)
    shell = subprocess.run([PROGRAM, "fit", tmp_path, "--target", "y", "--model", "linear"], capture_output=True, text=True)
    assert shell.returncode == 2 and "0x1F" in shell.stderr
    for estimator in (ardvark.BayesianLinearRegression("shared"), ardvark.KernelRegressor()):
        with pytest.raises(ValueError, match="column 'code': '0x1F' in .*2.csv' is a text, but .*1.csv' holds numbers"):
            estimator.fit(tmp_path, "y")


@pytest.mark.parametrize("text", ["y,x,z\n" + "".join(f"{i * i % 13},{i % 5},{'.' if i % 9 == 4 else i % 11 / 4}\n" for i in range(60)), "y,x,z\n" + "".join(f"{i * i % 13},{i % 5},{i % 11 / 4}\n" for i in range(60)) + ",,\n,,\n"])
def test_advice_about_missing_values_leads_to_a_fit(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    source, words = tmp_path / "t.csv", {}
    for _ in range(3):  # as a user would: do what the message says, until there is a fit
        try:
            model = ardvark.BayesianLinearRegression("shared", **words).fit(source, "y")
            break
        except ValueError as error:
            if found := re.search(r"ardvark.CsvFiles.path, missing_marker=\['(.*?)'\]", str(error)):
                source = ardvark.CsvFiles(source, missing_marker=[found[1]])
            if "missing='drop'" in str(error):
                words = {"missing": "drop"}
    whole = pandas.read_csv(tmp_path / "t.csv", na_values=["."])
    expected = ardvark.BayesianLinearRegression("shared", missing="drop").fit(whole, target="y")
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    imputed = ardvark.BayesianLinearRegression("shared", missing="impute", random_state=1).fit(source, "y")
    assert np.isfinite(np.concatenate(list(imputed.predict_batches(source)))).all()


@pytest.mark.parametrize("ending", ["txt", "tsv", "dat"])
def test_an_unknown_ending_is_answered_with_what_reads_it(ending, tmp_path):
    whole = table(60).drop(columns="k")
    path = tmp_path / f"t.{ending}"
    path.write_text(whole.to_csv(index=False, sep="\t"))
    with pytest.raises(ValueError, match=r"CSV with another ending: give ardvark.CsvFiles\(path\) as X"):
        ardvark.BayesianLinearRegression("shared").fit(path, "y")
    model = ardvark.BayesianLinearRegression("shared").fit(ardvark.CsvFiles(path), "y")
    np.testing.assert_allclose(model.coef_, ardvark.BayesianLinearRegression("shared").fit(whole, target="y").coef_, rtol=1e-9)


def test_a_file_without_a_header_is_named_so(tmp_path):
    path = tmp_path / "values.csv"
    path.write_text("".join(f"{i}.5,{2 * i}.25\n" for i in range(20)))
    with pytest.raises(ValueError, match="columns are '0.5', '0.25'; if these are values, the file has no header"):
        ardvark.BayesianLinearRegression().fit(str(path), "y")


@pytest.mark.parametrize("text, cause", [("14,5", "has a decimal comma; write a decimal point"), ("12%", "is not a number; ")])
def test_another_notation_in_a_later_row_of_statistics_is_named(text, cause):
    rows = pandas.DataFrame({"x": [1.0, 2, 4]})
    statistics = ardvark.LinearStatistics().update(rows, pandas.Series([1.0, 2, 3], name="y"))
    table = pandas.DataFrame({"x": [1.0, 2, 4], "y": ["3", text, "5"]})
    with pytest.raises(ardvark.InvalidArgumentError, match=re.escape(f"'{text}' {cause}")) as refusal:
        statistics.update(table, "y")
    assert (refusal.value.row, refusal.value.column, refusal.value.value) == (5, "y", text)  # rows of all updates
