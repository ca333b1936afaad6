"""Choose a promise or a mechanism as a visitor does: by its radio button."""

from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions


def group(app, name, key):
    """Return the group of radio buttons, "notion", "mech" or a column's, that has a key."""
    result = [
        item for item in app.radio if item.key.rpartition("_")[0] == name and key in keys(item)
    ]
    assert len(result) == 1, f"{key} is in {len(result)} groups"
    return result[0]


def keys(radio):
    """Return the keys of a group's options, which its session value is one of."""
    every = notions.ALL if "notion" in radio.key else mechanisms.CATALOGUE.values()
    shown = [label.replace(":material/block: ", "").replace("\\", "") for label in radio.options]
    names = {entry.title: entry.key for entry in every}
    names |= {f"{title}, needs S": key for title, key in names.items()}
    return [names[title] for title in shown]


def pick(app, name, key):
    """Press the radio button of a key, and run."""
    return group(app, name, key).set_value(key).run()


def chosen(app, name):
    """Return the key that is pressed: exactly one in all groups."""
    pressed = [
        item.value
        for item in app.radio
        if item.key.rpartition("_")[0] == name and item.value is not None
    ]
    assert len(pressed) == 1, pressed
    return pressed[0]
