"""Links that broke a page or filled one; whatever does either next is added here."""

DIGITS = "9" * 5_000
DEEP = "[" * 100_000
HALF = '["\\ud800", "a"]'
LONG = "a" * 100_000

SCENARIO: tuple[dict[str, str], ...] = (
    {"rare": DIGITS},
    {"rare_s": DIGITS},
    {"data": f"random:uniform:{DIGITS}x2:1"},
    {"data": f"random:uniform:2x2:{DIGITS}"},
    {"data": f"random:dirichlet{DIGITS}:2x2:1"},
    {"data": "random:uniform:0x0:0"},
    {"data": "random:dirichlet0:2x2:0"},
    {"data": "random:dirichlet1e999:2x2:0"},
    {"data": "random:" + LONG},
    {"data": "upload:" + LONG},
    {"data": "upload:../../etc/passwd"},
    {"data": "matrix:" + LONG},
    {"data": "example:" + LONG},
    {"data": "file:///etc/passwd"},
    {"data": "duckdb:///etc/passwd#people"},
    {"data": "postgres://ann:secret@localhost/census#people"},
    {"data": "postgres://" + LONG + "#people"},
    {"data": "\ud800"},
    {"data": LONG},
    {"data": LONG[:19_000]},
    {"s": LONG[:19_000]},
    {"x": LONG[:19_000], "t": LONG[:18_000]},
    {"x": "\x00"},
    {"x": "occupation", "s": "occupation"},
    {"x": 'a"; DROP TABLE records; --'},
    {"only": DEEP},
    {"only": HALF},
    {"only": '["age", [' + DIGITS + ", 2]]"},
    {"only": '["' + LONG[:19_000] + '", "a"]'},
    {"only": '["sex", "' + LONG[:19_000] + '"]'},
    {"only": '["age", [NaN, 1]]'},
    {"only": '["age", [Infinity, 1]]'},
    {"bins": "age:width:" + DIGITS},
    {"bins": "age:edges:" + ",".join(map(str, range(5_000)))},
    {"bins": "age:edges:" + "1," * 9_000 + "1"},
    {"bins": ":" * 10_000},
    {"also": DEEP},
    {"also": '{"notion": "' + LONG[:19_000] + '"}'},
    {"also": '{"notion": "lip", "eps": ' + DIGITS + "}"},
    {"table": DEEP},
    {"table": "[[" + DIGITS + "]]"},
    {"table": '[["\\ud800"]]'},
    {"eps": DIGITS},
    {"eps": DIGITS, "unit": "bits"},
    {"eps": "nan", "unit": "bits"},
    {"unit": LONG},
    {"n": DIGITS},
    {"seed": "1e999"},
    {"limit": "-1"},
    {"limit": "inf"},
    {"gap": "nan"},
    {"notion": LONG},
    {"mech": LONG},
    {"mech": "\x00"},
    {"for": LONG},
    {"loss": LONG},
)
"""Of every page: each is one link, by key."""

PAGES: tuple[tuple[str, dict[str, str]], ...] = (
    ("mechanisms", {"step": DIGITS, "mech": "subset_merging"}),
    ("mechanisms", {"step": "²", "mech": "subset_merging"}),
    ("mechanisms", {"known": DEEP}),
    ("mechanisms", {"known": HALF, "x": "race"}),
    ("mechanisms", {"known": '["a", ' + DIGITS + "]"}),
    ("mechanisms", {"known": LONG}),
    ("mechanisms", {"about": LONG, "all": LONG, "output": LONG}),
    ("confusability", {"step": DIGITS}),
    ("confusability", {"problem": LONG, "view": LONG}),
    ("release", {"original": LONG, "file": LONG, "draw": LONG}),
    ("release", {"unknown": LONG, "id": "\x00", "draw": "key"}),
    ("release", {"unknown": DEEP, "draw": "key"}),
)
"""Of one page: its file's name, and the link."""

QUOTED = 700
"""Characters that a sentence may have: a few quotes of 80 at most, and what is allowed instead."""
