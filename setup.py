"""What a wheel holds: `core`, `pages`, and the application itself as the package `liftscope`."""

from setuptools import find_namespace_packages, setup

setup(
    packages=["liftscope", *find_namespace_packages(include=["core*", "pages*"])],
    package_dir={"liftscope": "."},  # app.py, and the settings that Streamlit reads beside it
    package_data={
        "liftscope": [".streamlit/config.toml", "docs/glossary.md", "static/*"],
        "core": ["data/bundled/*.parquet", "papers/**/*.json"],
        "pages": ["**/*.css", "**/*.js", "**/*.png"],
    },
)
