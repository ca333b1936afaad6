"""Keep the garbage collector from scanning what lives as long as the process."""

import atexit
import gc
import threading

_once = threading.Lock()


def settle() -> None:
    """Exempt everything that lives now, once in a process; call it when a first page is shown.

    Streamlit collects all garbage after every run of a script, sliders included, and holds up
    the server while it does: with the libraries of `core` loaded that takes 0.1 s and frees
    nothing. What is made later is collected as usual.
    """
    if _once.acquire(blocking=False):
        gc.collect()
        gc.freeze()
        atexit.register(gc.unfreeze)  # else libraries report what is exempt as leaked
