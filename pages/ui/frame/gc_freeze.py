"""Keep the garbage collector away from what never goes."""

import atexit
import gc
import threading

_once = threading.Lock()


def settle() -> None:
    """Set aside everything that lives now, once in a process; call it when a first page stands.

    Streamlit collects all garbage after every run of a script, sliders included, and holds up
    the server while it does: with the libraries of `core` loaded that is 0.1 s for nothing, since
    what they loaded stays. What is made later is collected as ever.
    """
    if _once.acquire(blocking=False):
        gc.collect()
        gc.freeze()
        atexit.register(gc.unfreeze)  # else libraries report what stays as leaked
