"""An executor of Fencehound: runs the slices of a search on the workers of a dask.distributed cluster.

`python3 -m fencehound_dask --scheduler tcp://ADDRESS` speaks the lines of docs/cluster.md on its standard input and output. Here is
who does what: `executor` is the process beside the tool, `service` is what it puts on each worker, `lines` are the messages.
"""

PROTOCOL = 1
"""The version of the lines."""
