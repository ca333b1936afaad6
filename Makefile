# Three commands do everything: `make run` opens the dashboard, `make test` is for every change, and
# `make check` runs every gate before a landing.
PORT ?= 8501
VENV ?= .venv
MINUTES ?= 10
REPLICAS ?= 2
SEED ?=
QUICK ?=
ONLY ?=
JOBS ?= 2
BIN := $(VENV)/bin
# Workers that make way for pages would wait for the tests: here all are as nice.
LEVEL := nice -n 19 $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help run serve test check quick journeys format lint types unit browser fuzz docs house cluster bench reproduce clean

help:  ## List the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: $(VENV)/run.stamp  ## Set up and open the dashboard on 127.0.0.1
	$(BIN)/streamlit run app.py --server.port $(PORT)

serve: $(VENV)/run.stamp  ## Serve a class by several processes behind nginx: REPLICAS=2 PORT=8501
	.ci/nginx
	$(BIN)/python -m pages.ui.serving --replicas $(REPLICAS) --port $(PORT)

test: lint types quick journeys  ## Set up and run what a change needs: a quarter of an hour

check: lint types docs unit browser  ## Set up and run every gate, as continuous integration does

quick: $(VENV)/dev.stamp  ## Doctests, core and page tests, without what only `make check` runs
	$(LEVEL) -m pytest -n 3 --dist worksteal -m "not browser and not thorough"

journeys: $(VENV)/dev.stamp  ## One journey through each page in a real Chromium
	.ci/chromium $(BIN)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m journey tests/browser

format: $(VENV)/dev.stamp  ## Format the code and fix what ruff can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/dev.stamp
	$(BIN)/mypy

unit: $(VENV)/dev.stamp  ## Doctests, core and page tests, with the coverage floors
	.ci/java
	.ci/nginx
	$(LEVEL) -m pytest -n 3 --dist worksteal -m "not browser" --cov --cov-report=
	$(BIN)/coverage report --skip-covered --include="core/*" --fail-under=95
	$(BIN)/coverage report --skip-covered --include="app.py,pages/*" --fail-under=90

browser: $(VENV)/dev.stamp  ## Drive the dashboard in a real Chromium
	.ci/chromium $(BIN)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m browser tests/browser

house: $(VENV)/run.stamp  ## Draw the code's folders and imports into docs/, and list what breaks their rules
	$(BIN)/python docs/house.py

docs: $(VENV)/dev.stamp house  ## Build the documents and the API reference into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

fuzz: $(VENV)/dev.stamp  ## Compare optima with exact enumeration: MINUTES=10 SEED=…
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

cluster: $(VENV)/dev.stamp  ## Start a Dask scheduler and two workers on 127.0.0.1:8786, to try sweeps on
	$(BIN)/python -m core.sweep.local_cluster

bench: $(VENV)/dev.stamp  ## Measure speed and memory, as the tables of docs/benchmarks.md
	$(BIN)/python -m benchmarks

reproduce: $(VENV)/run.stamp  ## Run the papers' experiments again into reproduced/: QUICK=1 ONLY=… SEED=… JOBS=2
	$(BIN)/python -m core reproduce --out reproduced --jobs $(JOBS) $(if $(QUICK),--quick) \
		$(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

clean:  ## Remove the environment and every cache
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*

# A stamp is older than its requirements exactly when the environment is out of date.
$(VENV)/run.stamp: requirements.txt
	@python=$$(.ci/python) && $$python -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements-dev.txt
	@touch $@
