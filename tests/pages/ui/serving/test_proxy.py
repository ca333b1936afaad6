"""nginx's settings: each server by its cookie, the others behind it."""

from pathlib import Path

import pytest

from core.errors import InvalidInputError
from pages.ui.serving.running import configuration

FOLDER = Path("/run/liftscope")


def test_each_server_has_the_others_as_its_backup():
    text = configuration([9001, 9002, 9003], port=8501, folder=FOLDER)
    second = text[text.index("upstream replica2") : text.index("upstream replica3")]
    assert "server 127.0.0.1:9002 max_fails=1" in second
    assert second.count("backup;") == 2
    assert "    33.33% replica1;\n    33.33% replica2;\n    * replica3;" in text
    assert "client_max_body_size 200m;" in text


def test_one_server_has_none():
    text = configuration([9001], port=80, folder=FOLDER, address="0.0.0.0", user="www-data")
    assert "backup" not in text
    assert "listen 0.0.0.0:80;" in text
    assert "user www-data;" in text
    assert "user " not in configuration([9001], port=80, folder=FOLDER)


def test_a_port_that_is_none_is_told():
    with pytest.raises(InvalidInputError, match="port"):
        configuration([70_000], port=80, folder=FOLDER)
