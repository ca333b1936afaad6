"""Encodings by any of their names, and what a text is told to be."""

import codecs

import pytest
from pyarrow import parquet

from core.data import ReadOptions, Sources
from core.data.options import ENCODINGS, encoding_of
from core.data.readers.encoding import without_controls
from core.errors import InvalidInputError

SAMPLES = {
    "utf-8": "Köln, 東京",
    "utf-16": "Köln, 東京",
    "windows-1252": "Köln €",
    "latin-1": "Köln",
    "mac-roman": "Köln",
    "windows-1250": "Łódź",
    "windows-1251": "Москва",
    "windows-1253": "Αθήνα",
    "windows-1254": "İzmir",
    "koi8-r": "Москва",
    "gb18030": "北京",
    "big5": "臺北",
    "shift_jis": "東京",
    "euc-kr": "서울",
}


def test_every_encoding_has_a_sample():
    assert set(SAMPLES) == set(ENCODINGS)


@pytest.mark.parametrize("encoding", SAMPLES)
def test_a_file_is_read_in_the_encoding_that_is_named(encoding):
    town = SAMPLES[encoding].replace(",", "")
    content = f"town,sex\n{town},f\nUlm,m\n".encode(encoding)
    names = {encoding, encoding.upper(), codecs.lookup(encoding).name}
    for name in names:
        sources = Sources()
        table = sources.uploads[sources.add_bytes(content, "a.csv", ReadOptions(name))].table
        assert parquet.read_table(table.paths[0]).column(0).to_pylist() == [town, "Ulm"]
        assert encoding_of(name) == encoding
        assert ReadOptions(encoding=name).encoding == encoding


@pytest.mark.parametrize("name", ["nonsense", "cp037", "base64", "a\x00b", 7, None])
def test_another_encoding_is_refused_in_a_sentence(name):
    with pytest.raises(InvalidInputError, match="The encoding must be one of 'utf-8', "):
        Sources().add_bytes(b"a,b\n1,2\n", "a.csv", ReadOptions(name))


@pytest.mark.parametrize("before", [0, 3_000, 400_000])
@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "utf-16"])
def test_a_nul_is_told_with_its_line(before, encoding):
    text = "nüme,b\n" + "x,1\n" * before + "y\x00,2\n" + "x,1\n" * 5
    with pytest.raises(InvalidInputError, match=f"NUL character in line {before + 2:,}, which"):
        Sources().add_bytes(text.encode(encoding), "a.csv")


def test_windows_1252_that_was_read_as_latin_1_and_saved_as_utf_8_is_mended_and_said():
    rows = ["Château Cos d’Estournel,“Zürich” – 5 €", "Łódź,…"]
    wrong = [row.encode("cp1252", "ignore").decode("latin-1") for row in rows[:1]] + rows[1:]
    content = "\n".join(["wine,note", *wrong, "Ulm,a"]).encode()
    sources = Sources()
    upload = sources.uploads[sources.add_bytes(content, "a.csv")]
    wine, note = parquet.read_table(upload.table.paths[0]).to_pydict().values()
    assert wine == ["Château Cos d’Estournel", "Łódź", "Ulm"]
    assert note == ["“Zürich” – 5 €", "…", "a"]
    (repair,) = upload.repairs
    assert "'d’Estournel'" in repair.sentence
    as_it_was = ReadOptions(**dict(repair.undo))
    sources = Sources()
    kept = sources.uploads[sources.add_bytes(content, "a.csv", as_it_was)]
    wine, _ = parquet.read_table(kept.table.paths[0]).to_pydict().values()
    assert wine[0] == "Château Cos d\x92Estournel"
    assert not kept.repairs


@pytest.mark.parametrize("place", range(-3, 4))
def test_such_a_character_is_mended_wherever_a_piece_ends(place, tmp_path):
    text = "a" * ((1 << 20) + place) + "\x96 Â – \x81"
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    without_controls(path, tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == text.replace("\x96", "–")


@pytest.mark.parametrize(
    ("encoding", "text", "label"),
    [
        ("windows-1250", "ogółem,płeć\nŁódź,m\n", "Windows-1250 (Central Europe): ogółem"),
        ("windows-1251", "Город,Пол\nМосква,муж\n", "Windows-1251 (Cyrillic): Город"),
        ("koi8-r", "Город,Пол\nМосква,муж\n", "KOI8-R (Cyrillic): Город"),
        ("windows-1253", "Πόλη,Φύλο\nΑθήνα,άνδρας\n", "Windows-1253 (Greek): Πόλη"),
        ("gb18030", "城市,性别\n北京,男\n上海,女\n", "GB 18030 (Chinese): 城市"),
        ("big5", "縣市,性別\n臺北市,男\n高雄市,女\n", "Big5 (Chinese): 縣市"),
        ("euc-kr", "행정구역,성별\n서울특별시,남자\n", "EUC-KR (Korean): 행정구역"),
        ("mac-roman", "région,sexe\nIle-de-France,h\n", "Mac Roman: région"),
        ("mac-roman", "Größe,Geschlecht\nklein,männlich\n", "Mac Roman: Größe"),
        ("mac-roman", "Ort,n\nMünchen,3\nNürnberg,4\n", "Mac Roman: München"),
    ],
)
def test_a_likelier_encoding_than_the_guessed_one_is_offered(encoding, text, label):
    sources = Sources()
    upload = sources.uploads[sources.add_bytes(text.encode(encoding), "a.csv")]
    offered = {item.label: dict(item.options) for item in upload.hints}
    assert offered[f"Read it as {label}"] == {"encoding": encoding}
    again = sources.upload(f"upload:{upload.sha256}", ReadOptions(encoding))
    assert (again.table.columns[0], again.hints) == (text.partition(",")[0], ())


@pytest.mark.parametrize(
    "text",
    [
        "Stadt,Fläche\nKöln,405 km²\nMünchen,310 km²\nCôte d’Ivoire,5\n",
        "N°SIRET,Prix €\nl´été,1.25 €\nnº 5,½\n",
        "¿Qué?,¡Sí!\naño,1ª\n§12,«dit»\n£5,10 µm\n",
        "Île,forêt\nparal·lel,œuvre\nnaïve “x”,±5\n",
        "L’HAŸ-LES-ROSES,Šibenik\nKOŠICE,Žďár\nParis–Lyon,Ω™\n".replace("ď", "d").replace("Ω", "a"),
    ],
)
def test_no_encoding_is_offered_where_the_guess_reads_well(text):
    sources = Sources()
    upload = sources.uploads[sources.add_bytes(text.encode("cp1252"), "a.csv", ReadOptions())]
    assert upload.text.guessed
    assert not [item for item in upload.hints if item.label.startswith("Read it as")]
