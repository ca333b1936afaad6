"""The dashboard's long computations on a cluster of Dask."""

from core.remote.jobs import RemoteJobs

__all__ = ["RemoteJobs"]
