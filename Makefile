# Two commands do everything: `make run` opens the dashboard, `make test` decides what lands.
# `make check` is everything else, in parts that run alone.
PORT ?= 8501
VENV ?= .venv
MINUTES ?= 10
REPLICAS ?= 2
SEED ?=
QUICK ?=
ONLY ?=
JOBS ?= 2
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c requirements.lock
# Workers that make way for pages would wait for the tests: here all are as nice.
# One thread of linear algebra a process: on a busy machine several wait for each other.
PYTEST := OPENBLAS_NUM_THREADS=1 nice -n 19 $(BIN)/python -m pytest
LONG := --timeout 1800
ACCESS := tests/browser/test_access_live.py tests/browser/test_class_access_live.py
QUICKLY := not slow and not services and not browser
# The machine may forbid bytecode: every process would compile again what it imports.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help run serve test check gate format lint types collected quick smoke check-slow check-services \
	check-browser check-access check-coverage fuzz docs house lock cluster showcase bench reproduce clean

help:  ## List the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: $(VENV)/run.stamp  ## Set up and open the dashboard on 127.0.0.1
	$(BIN)/streamlit run app.py --server.port $(PORT)

serve: $(VENV)/run.stamp  ## Serve a class by several processes behind nginx: REPLICAS=2 PORT=8501
	.ci/nginx
	$(BIN)/python -m pages.ui.serving --replicas $(REPLICAS) --port $(PORT)

test: $(VENV)/dev.stamp  ## Set up and run what decides: quick and certain tests, twelve minutes
	+$(MAKE) --no-print-directory -j 2 types lint collected
	+$(MAKE) --no-print-directory quick smoke

check: check-slow check-services check-browser check-access check-coverage  ## Set up and run everything else

gate:  ## Run what decides as it will be decided: HEAD in a fresh clone, a note in .gate
	.ci/gate

# Written while mypy runs on the other core: what two processes would else both make of the tests.
collected: $(VENV)/dev.stamp
	-@$(PYTEST) --collect-only -qq > /dev/null 2>&1

quick: $(VENV)/dev.stamp
	$(PYTEST) -n 2 --dist worksteal -m "$(QUICKLY)" --durations 10

smoke: $(VENV)/dev.stamp
	.ci/chromium $(BIN)
	$(PYTEST) -m smoke tests/browser/test_smoke.py --reruns 2 --durations 5

check-slow: $(VENV)/dev.stamp  ## Long searches, the papers, fuzz and hostile files
	COVERAGE_FILE=.coverage.slow $(PYTEST) $(LONG) -n 2 --dist worksteal -m "slow and not services" \
		--cov --cov-report=

check-services: $(VENV)/dev.stamp docs  ## Data bases, Spark, Dask, replicas, chaos, packaging, documents
	.ci/java
	.ci/nginx
	COVERAGE_FILE=.coverage.services $(PYTEST) $(LONG) -n 2 --dist loadfile -m services --cov --cov-report=

check-browser: $(VENV)/dev.stamp  ## Every journey in a real Chromium
	.ci/chromium $(BIN)
	$(PYTEST) $(LONG) -n 2 --dist loadfile -m "browser and not smoke" tests/browser $(ACCESS:%=--ignore=%)

check-access: $(VENV)/dev.stamp  ## Every page by axe, by keyboard and on a phone, in a real Chromium
	.ci/chromium $(BIN)
	$(PYTEST) $(LONG) -n 2 --dist worksteal $(ACCESS)

check-coverage: $(VENV)/dev.stamp  ## What the tests without a browser cover, with floors: after the other parts
	COVERAGE_FILE=.coverage.quick $(PYTEST) $(LONG) -n 2 --dist worksteal -m "$(QUICKLY)" --cov --cov-report=
	$(BIN)/coverage combine --keep $$(ls .coverage.quick .coverage.slow .coverage.services 2>/dev/null)
	$(BIN)/coverage report --skip-covered --include="core/*" --fail-under=95
	$(BIN)/coverage report --skip-covered --include="app.py,pages/*" --fail-under=90

format: $(VENV)/dev.stamp  ## Format the code and fix what ruff can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python docs/house.py --check

types: $(VENV)/dev.stamp
	$(BIN)/mypy

house: $(VENV)/run.stamp  ## Draw the code's folders and imports into docs/, and list what breaks their rules
	$(BIN)/python docs/house.py

docs: $(VENV)/dev.stamp house  ## Build the documents and the API reference into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

fuzz: $(VENV)/dev.stamp  ## Compare optima with exact enumeration: MINUTES=10 SEED=…
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

cluster: $(VENV)/dev.stamp  ## Start a Dask scheduler and two workers on 127.0.0.1:8786, to try sweeps on
	$(BIN)/dask scheduler --host 127.0.0.1 --port 8786 --no-dashboard & trap "kill $$!" EXIT; \
	PYTHONPATH=. $(BIN)/dask worker tcp://127.0.0.1:8786 --nworkers 2 --nthreads 1 --no-dashboard

showcase: $(VENV)/dev.stamp  ## Take the pictures of README and documents anew
	.ci/chromium $(BIN)
	$(BIN)/python docs/showcase.py

bench: $(VENV)/dev.stamp  ## Measure speed and memory, as the tables of docs/benchmarks.md
	$(BIN)/python -m benchmarks

reproduce: $(VENV)/run.stamp  ## Run the papers' experiments again into reproduced/: QUICK=1 ONLY=… SEED=… JOBS=2
	$(BIN)/python -m core reproduce --out reproduced --jobs $(JOBS) $(if $(QUICK),--quick) \
		$(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

lock: $(VENV)/dev.stamp  ## Lock every package, of packages too, for each Python that is supported
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-annotate \
		--custom-compile-command "make lock" requirements-dev.txt -o requirements.lock

clean:  ## Remove the environment and every cache
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*

# A stamp is older than its requirements exactly when the environment is out of date.
$(VENV)/run.stamp: requirements.txt requirements.lock
	@python=$$(.ci/python) && $$python -m venv $(VENV)
	$(PIP) -r requirements.txt
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/run.stamp
	$(PIP) -r requirements-dev.txt
	@touch $@
