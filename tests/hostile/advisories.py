"""Known vulnerabilities of what the dashboard is built on; the next one is added here.

The network is not asked: `pip-audit -r requirements.txt` does that (docs/deploy.md).
"""

ADVISORIES: tuple[tuple[str, str, str], ...] = (
    ("certifi", "2024.7.4", "CVE-2024-39689: roots that are not trusted any more"),
    ("distributed", "2026.1.0", "CVE-2026-23528: scripts through the dashboard's proxy"),
    ("duckdb", "1.1.0", "CVE-2024-41672: files in spite of enable_external_access"),
    ("gitpython", "3.1.41", "CVE-2024-22190: programs of the working folder"),
    ("h11", "0.16.0", "CVE-2025-43859: request smuggling"),
    ("idna", "3.7", "CVE-2024-3651: quadratic time"),
    ("jinja2", "3.1.6", "CVE-2025-27516: a way out of the sandbox"),
    ("numpy", "1.22.0", "CVE-2021-34141: comparison of texts"),
    ("openpyxl", "2.4.2", "CVE-2017-5992: external entities"),
    ("pillow", "11.3.0", "CVE-2025-48379: a write behind a buffer"),
    ("protobuf", "6.31.1", "CVE-2025-4565: recursion without a bound"),
    ("pyarrow", "14.0.1", "CVE-2023-47248: code in IPC and Parquet files"),
    ("python-multipart", "0.0.18", "CVE-2024-53981: bytes behind the last boundary"),
    ("requests", "2.32.4", "CVE-2024-47081: passwords of .netrc for other hosts"),
    ("scipy", "1.10.0", "CVE-2023-25399: a reference that is not given back"),
    ("setuptools", "78.1.1", "CVE-2025-47273: paths out of the folder"),
    ("starlette", "0.49.1", "CVE-2025-62727: quadratic time in Range headers"),
    ("streamlit", "1.37.0", "CVE-2024-42474: static files by a path out of the folder"),
    ("tornado", "6.5", "CVE-2025-47287: a log that stops the server"),
    ("urllib3", "2.6.0", "CVE-2025-66471: answers that unpack without a bound"),
    ("uvicorn", "0.11.7", "CVE-2020-7695: headers in a redirect"),
    ("websockets", "9.1", "CVE-2021-33880: passwords by timing"),
)
"""A package, its first version without the fault, and the fault."""
