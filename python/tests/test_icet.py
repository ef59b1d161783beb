"""ArdvarkOptimizer of trainstation inside icet: the mixing energies of an alloy."""

import numpy as np
import pytest

icet = pytest.importorskip("icet", reason="icet is not installed (pip install icet): its cluster expansions are not fitted")
trainstation = pytest.importorskip("trainstation")


def structures(ase_build, number, rng):
    for _ in range(number):
        structure = ase_build.bulk("Ag", "fcc", 4.09).repeat((3, 3, rng.integers(3, 6)))
        structure.symbols = rng.permutation(np.where(np.arange(len(structure)) < rng.integers(1, len(structure)), "Pd", "Ag"))
        yield structure


def test_a_cluster_expansion_and_its_uncertainty():
    import ase.build
    from ardvark.integrations.trainstation import ArdvarkOptimizer

    rng = np.random.default_rng(0)
    space = icet.ClusterSpace(ase.build.bulk("Ag", "fcc", 4.09), [7.0, 5.0], ["Ag", "Pd"])
    truth = np.zeros(len(space))  # per atom: the constant, the composition, pairs of nearest neighbours, and one other cluster
    truth[[0, 1, 2, len(truth) // 2]] = [-0.4, 0.05, 0.03, -0.01]
    data = icet.StructureContainer(space)
    for structure in structures(ase.build, 80, rng):
        data.add_structure(structure, properties={"mixing_energy": space.get_cluster_vector(structure) @ truth + 1e-3 * rng.normal()})
    optimizer = ArdvarkOptimizer(data.get_fit_data(key="mixing_energy"), train_size=1.0, flat=[0])
    optimizer.train()
    off = np.abs(optimizer.parameters - truth)
    assert np.mean(off < 2.5 * optimizer.parameters_std) > 0.9
    assert (optimizer.inclusion[[1, 2]] > 0.95).all()
    new = list(structures(ase.build, 30, rng))
    energies = np.array([space.get_cluster_vector(structure) @ truth for structure in new])
    plain = trainstation.Optimizer(data.get_fit_data(key="mixing_energy"), train_size=1.0)
    plain.train()
    errors = []
    for fit in (optimizer, plain):
        expansion = icet.ClusterExpansion(space, fit.parameters, metadata=fit.summary)
        errors.append(np.sqrt(np.mean((np.array([expansion.predict(structure) for structure in new]) - energies) ** 2)))
    assert errors[0] < 0.6 * errors[1] and errors[1] < 1e-3
