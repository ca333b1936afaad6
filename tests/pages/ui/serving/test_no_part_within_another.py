"""No part of a page is within another that runs by itself.

Where the outer one is run again before its messages were sent, Streamlit drops those, but not the
inner one's: the browser is told of places that it was never given, and takes no message any more.
"""

from pathlib import Path

import pytest
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.testing.v1 import AppTest

from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

PAGES = sorted((Path(__file__).parents[4] / "pages").glob("[a-z]*.py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_no_part_within_another(page, monkeypatch):
    around, register = {}, MemoryFragmentStorage.register

    def noted(self, key, fragment, *, parent_fragment_id=None, **more):
        around[key] = parent_fragment_id
        register(self, key, fragment, parent_fragment_id=parent_fragment_id, **more)

    monkeypatch.setattr(MemoryFragmentStorage, "register", noted)
    app = AppTest.from_file(page, default_timeout=PATIENCE)
    app.query_params["mech"] = "watchdog"
    app.run()
    assert not app.exception
    assert around or page.stem == "papers"  # which has one where an error in print is shown
    assert set(around.values()) <= {None}
