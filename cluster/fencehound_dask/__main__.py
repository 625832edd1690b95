"""The command line of the executor."""

import argparse
import asyncio
import logging
import os
import sys

from distributed import Security

from .executor import Place, run

EPILOG = """Options of dask's own configuration (TLS, timeouts) hold here, too. Keys and certificates are named by their files."""


def place(arguments: list[str]) -> Place:
    """Return what a command line says."""
    parser = argparse.ArgumentParser(
        prog="python3 -m fencehound_dask",
        description="Runs the slices of a search of Fencehound on a dask.distributed cluster: fencehound check --cluster ADDRESS",
        epilog=EPILOG,
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", required=True, help="such as tcp://10.0.0.1:8786, or tls://…")
    parser.add_argument("--input", metavar="FILE", action="append", default=[], help="a file that the program reads, from its folder")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=30.0, help="to wait for the scheduler [30]")
    parser.add_argument("--tls-ca-file", metavar="FILE", help="the certificate of the cluster's authority")
    parser.add_argument("--tls-cert", metavar="FILE", help="the certificate of this client")
    parser.add_argument("--tls-key", metavar="FILE", help="its key")
    typed = parser.parse_args(arguments)
    security = None
    if typed.tls_ca_file or typed.tls_cert or typed.tls_key:
        files = {"tls_ca_file": typed.tls_ca_file, "tls_client_cert": typed.tls_cert, "tls_client_key": typed.tls_key}
        security = Security(require_encryption=True, **files)
    elsewhere = [name for name in typed.input if ".." in name.split("/")]
    if elsewhere:
        parser.error(f"--input {elsewhere[0]}: name it from the folder of the program, or by its whole name")
    return Place(typed.scheduler, security, typed.timeout, typed.input)


def main() -> None:
    """Run the executor."""
    # What matters is said to the tool, which says it to the user.
    logging.disable()
    status = asyncio.run(run(place(sys.argv[1:])))
    sys.stdout.flush()
    # The thread that reads may still wait for a line.
    os._exit(status)


if __name__ == "__main__":
    main()
