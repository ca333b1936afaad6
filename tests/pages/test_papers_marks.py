"""What the Papers page says of the paper beside its figures, of the run that is shipped."""

from tests.pages.test_papers import opened, text


def test_the_page_says_where_print_has_no_number_to_mark():
    app = opened(show="rldp_2")
    none = "The paper's text gives no number to mark in"
    assert f"{none} this figure." in text(app)
    app = opened(show="lift_5")
    assert f"{none} the panels without a mark." in text(app)
    for show in ("lift_1", "rldp_examples", "nonstochastic_examples"):
        assert none not in text(opened(show=show)), show


def test_a_star_in_the_title_of_a_panel_is_a_star():
    app = opened(show="rldp_3")
    (title,) = [item.value for item in app.markdown if item.value.startswith("**Figure 5")]
    assert "P\\*" in title
