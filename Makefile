# make setup     a .venv with Sluice in it, and the JVM libraries it needs
# make demo      see it run: a broker, a topic, a pipeline
# make test      the tests, without those that take long
# make test-all  all of them: also servers that are killed, and Spark with executors of their own
# make check     lint, format, types
# make bench     speed, against other ways to do the same

PYTHON ?= python3
VENV := .venv
# Processes that run tests, each with a broker and a Spark of its own.
WORKERS ?= 2
PYTEST := $(VENV)/bin/pytest
PARALLEL := -n $(WORKERS) --dist loadfile --no-loadscope-reorder
ARCHIVE := $(VENV)/spark.jsa
STAMP := $(VENV)/.setup
JVM := $(wildcard sluice/jars/*.ivy.xml) $(shell find java/src/main -type f)

.PHONY: setup demo archive test test-all check bench
.DELETE_ON_ERROR:

setup: $(STAMP)

$(STAMP): pyproject.toml $(JVM)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "Python 3.11 or newer is needed, and $(PYTHON) is not; choose one with make PYTHON=..." >&2; exit 1; }
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@echo "python: installing Sluice and what it needs into $(VENV)"
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(VENV)/bin/python -m sluice.jars
	@touch $@

demo: setup
	@$(VENV)/bin/sluice demo

# The JVMs that the tests start are up sooner with it.
archive: $(ARCHIVE)
$(ARCHIVE): $(STAMP)
	-@$(VENV)/bin/python tests/quick.py

test: setup $(ARCHIVE)
	$(PYTEST) -m "not slow" $(PARALLEL)

test-all: setup $(ARCHIVE)
	$(PYTEST) $(PARALLEL)

check: setup
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

bench: setup
	@$(VENV)/bin/python bench/run.py
	@$(VENV)/bin/python bench/formats.py
