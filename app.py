"""Liftscope: its server, and the script of each visit; page config and navigation, nothing else."""

from starlette.middleware import Middleware
from streamlit.starlette import App

from pages.ui.frame import address, server, site
from pages.ui.serving import offers, programs
from pages.ui.serving.compressed import Compressed
from pages.ui.serving.opening import Opening
from pages.ui.serving.patches import LateRequests
from pages.ui.work import own_release

if __name__ == "__main__":  # a visit: Streamlit runs the script that the server below names
    site.navigation().run()
    address.ended()
else:
    app = App(
        __file__,
        lifespan=server.life,
        routes=[own_release.ROUTE, programs.ROUTE, offers.ROUTE],
        middleware=[
            Middleware(server.Guard),
            Middleware(Opening),
            Middleware(Compressed),
            Middleware(LateRequests),
        ],
        on_script_error=server.report_error,
    )
