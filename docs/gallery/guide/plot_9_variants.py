"""
Which variants, with what certainty
===================================

You learn to fit a fileset of PLINK, to tell variants with an effect from their neighbours, and to
predict a fileset whose alleles are swapped.

Genotypes of one stretch of DNA are alike: a variant beside the one that matters is correlated with
the trait, too. Testing one variant at a time finds whole regions; a model of all variants at once
says which of them are needed, and where the data cannot tell.
"""

import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ardvark import BayesianLinearRegression, read_plink
from ardvark.plot import COLORS

random = np.random.RandomState(2)
n, p, num_ancestors = 600, 2000, 30

# %%
# A fileset
# ---------
# Simulated: 600 people, 2000 variants. Each copy of the DNA is a mosaic of 30 ancestors, and the
# alleles of an ancestor come in runs, so that neighbours are alike: the correlation is .8 from one
# variant to the next and .4 over ten. Eight variants change the trait and explain half of it. One
# genotype in fifty is missing.
latent = random.normal(size=(num_ancestors, p))
for j in range(1, p):
    latent[:, j] = 0.97 * latent[:, j - 1] + np.sqrt(1 - 0.97**2) * latent[:, j]
ancestors = latent < -0.4


def copies_of_allele_1():
    switches = random.uniform(size=(n, p)) < 0.02
    switches[:, 0] = True
    chosen = random.randint(num_ancestors, size=(n, p))
    start = np.maximum.accumulate(np.where(switches, np.arange(p), 0), axis=1)
    return ancestors[np.take_along_axis(chosen, start, axis=1), np.arange(p)]


copies = copies_of_allele_1().astype(int) + copies_of_allele_1()
causal = np.sort(random.choice(np.flatnonzero(copies.std(axis=0) > 0.5), 8, replace=False))
score = copies[:, causal] @ random.choice([-1.0, 1.0], 8)
trait = score + score.std() * random.normal(size=n)
known = random.uniform(size=(n, p)) > 0.02

# %%
# PLINK's own programs write such files. Here four samples become one byte: 00 for two copies of
# allele 1, 01 for a missing genotype, 10 for one copy, 11 for none.


def write(stem, copies, known, first, second):
    code = np.where(known, np.choose(copies, [3, 2, 0]), 1)
    padded = np.zeros((4 * -(-len(code) // 4), p), dtype=np.uint8)
    padded[: len(code)] = code
    four = padded.reshape(-1, 4, p)
    packed = sum(four[:, k] << (2 * k) for k in range(4)).astype(np.uint8)
    stem.with_suffix(".bed").write_bytes(b"\x6c\x1b\x01" + packed.T.tobytes())
    lines = [f"1 rs{j} 0 {1000 * j} {first} {second}\n" for j in range(p)]
    stem.with_suffix(".bim").write_text("".join(lines))
    lines = [f"family{i} person{i} 0 0 0 {trait[i]:.6f}\n" for i in range(len(code))]
    stem.with_suffix(".fam").write_text("".join(lines))


folder = tempfile.TemporaryDirectory()
study = Path(folder.name, "study")
write(study, copies, known, "A", "G")

# %%
# The fit
# -------
# ``read_plink`` takes 2 bits a genotype, and the fit reads them as they lie. Missing genotypes
# stand at the mean of their variant. The trait is the last column of study.fam; an array as second
# argument would be another one. The first 500 people are fitted, the others are for a test.
X = read_plink(study)


def said(text):  # without the folder, which is another one each time
    return str(text).replace(f"{folder.name}/", "")


print(f"{X.shape[0]} people, {X.shape[1]} variants", *map(said, X.notes), sep="\n")
fit = BayesianLinearRegression("slab").fit(X[:500], trait[:500])

# %%
# One at a time, and all at once
# ------------------------------
# Above, the usual picture: the squared correlation of each variant alone with the trait. Below,
# the probability that a variant has an effect, given all others. Crosses are the eight variants
# that the simulation used.
dense = X[:500].to_numpy(float)
varies = dense.std(axis=0) > 0
alone = np.zeros(p)
alone[varies] = [np.corrcoef(x, trait[:500])[0, 1] ** 2 for x in dense.T[varies]]
limit = 4.5**2 / 500  # of a chance of about 7e-6: some 1 in 100 for 2000 variants
figure, axes = plt.subplots(2, figsize=(6.4, 5), sharex=True, layout="constrained")
for ax, values, label in zip(axes, (alone, fit.inclusion_), ("squared correlation", "inclusion")):
    ax.vlines(np.arange(p), 0, values, color=COLORS[0], linewidth=1)
    ax.plot(causal, values[causal], "x", color=COLORS[1])
    ax.set(ylabel=label, ylim=(0, None))
axes[0].axhline(limit, color="0.6", linewidth=1)
axes[1].set(xlabel="position of the variant")
plt.show()

# %%
# How many variants does each way name, and how many of them are among the eight, or within
# five places of one?


def near(named):
    return np.array([np.abs(causal - j).min() <= 5 for j in named], dtype=bool)


named = {
    "one at a time": np.flatnonzero(alone > limit),
    "all at once": np.flatnonzero(fit.inclusion_ > 0.5),
}
table = pd.DataFrame(
    {
        "variants": {way: len(found) for way, found in named.items()},
        "causal": {way: int(np.isin(found, causal).sum()) for way, found in named.items()},
        "near a causal one": {way: int(near(found).sum()) for way, found in named.items()},
    }
)
table

# %%
# Where the data cannot tell
# --------------------------
# Neighbours may be so alike that the data do not say which of them has the effect. ``alternatives_``
# lists, for each probable effect, the smallest set of variants that has it with a probability of
# 95%: a credible set.
variants = X.variants
sets = pd.DataFrame(
    [
        {
            "variant": variants["name"][effect.columns[0]],
            "probability": effect.probability[0],
            "variants of the set": len(effect.columns),
            "holds a causal one": bool(np.isin(effect.columns, causal).any()),
        }
        for effect in fit.alternatives_
    ]
)
sets.round(2)

# %%
# New people, other alleles
# -------------------------
# Another laboratory calls G allele 1 and A allele 2, so that its files count the other allele. The
# model keeps the alleles of its variants, and ``predict`` counts those. A warning says for how many
# it counts the other allele. If alleles are of the other strand, or a variant is not there, it refuses
# the fileset; ``read_plink(path, absent_variants="mean")`` sets such variants to their mean.
other = Path(folder.name, "other")
write(other, 2 - copies, known, "G", "A")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    swapped = fit.predict(read_plink(other)[500:])
predicted = fit.predict(X[500:])
r_squared = fit.score(X[500:], trait[500:])
print(said(caught[0].message))
print(f"largest difference of the predictions: {np.abs(swapped - predicted).max():.1e}")
print(f"R^2 of new people: {r_squared:.2f}; the variants explain 0.50")
folder.cleanup()

# %%
# Where to go on
# --------------
# - :doc:`/genotypes` says what is counted, and how the program reads filesets.
# - :doc:`/selection` names columns at a stated false discovery rate.
