"""Searches on clusters have the results of searches in one process: the whole JSON but times, and all findings."""

from collections.abc import Iterator

import pytest
from distributed import LocalCluster

from .conftest import Bench, Cluster, Result, by

QUIET = "--no-judge --no-advice"
SEARCHES = [
    ("mixed --explorer bounded", "--slice-executions 5"),
    ("mixed --explorer bounded --stop-at-first", "--slice-executions 5"),
    ("numbered --explorer bounded", "--slice-executions 5"),
    ("mixed --explorer dpor", "--slice-executions 3"),
    ("divided --explorer dpor", "--slice-executions 3"),
    ("mixed --explorer random --executions 150 --seed 3", "--slice-executions 5"),
    ("mixed --model tso", "--slice-executions 2"),
    ("left --model tso", "--slice-executions 2"),
    ("long --explorer bounded --preemptions 3", ""),
    ("loops --explorer dpor", ""),
]


@pytest.fixture(scope="module", params=[1, 2, 4])
def local(request: pytest.FixtureRequest) -> Iterator[str]:
    """Return the address of a cluster of processes on this machine."""
    with LocalCluster(n_workers=request.param, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.mark.parametrize(("search", "steps"), SEARCHES)
def test_local_cluster(bench: Bench, expected: dict[str, Result], local: str, search: str, steps: str) -> None:
    """Any number of workers has the same result."""
    line = f"{search} {QUIET}"
    assert bench.check(f"{line} {steps}", *by(local)) == expected[line]


def test_judging(bench: Bench, expected: dict[str, Result], local: str) -> None:
    """The searches that judge findings go to the cluster, too."""
    line = "mixed --explorer dpor --judge-time 5m --advice-time 5m"
    assert bench.check(f"{line} --slice-executions 2", *by(local)) == expected[line]


def test_separate_processes_in_separate_folders(bench: Bench, expected: dict[str, Result], cluster: Cluster) -> None:
    """Workers that have neither the program, nor the tool, nor this package, are given what they need, each file once."""
    cluster.begin(2)
    for search, steps in SEARCHES:
        line = f"{search} {QUIET}"
        assert bench.check(f"{line} {steps}", *by(cluster.address)) == expected[line], search
    logs = [log.read_text() for log in cluster.folder.glob("worker-*/log")]
    assert len(logs) == 2
    for log in logs:
        # The tool, and the programs of the searches.
        assert log.count("Run out-of-band function 'store'") == 1 + len({search.split()[0] for search, _ in SEARCHES})
        assert log.count("Run out-of-band function 'install'") >= len(SEARCHES)
