# Every target sets up what it needs: Python 3.11 or newer, pip and make are enough. Repeats are instant.
#   make demo    watch a long coding session shrink into its window (DEMO=path shows your own transcript)
#   make test    the tests          make check   format, lint, types (the floors and limits are tests)
#   make fmt     format and fix     make bench   measurements (DATA="files or folders")
#   make test-long   what takes long: every preset, large sizes, many examples, kills (half an hour)
#   make test-integrations  the adapters with the real frameworks, each in an environment of its own (ONLY=langchain)
#   make test-model  the tests with a real model, on this machine (minutes; it downloads 120 MB once)
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13 python3.14 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
# "deep" takes half an hour, "long" takes hours.
DEEP ?= deep
LONG := -q -n 3 --dist worksteal --timeout 3600
SOURCES := src tests tests_long bench
export UV_LINK_MODE := copy
export UV_HTTP_TIMEOUT ?= 30

# uv where it can be had (fast), plain pip where not.
INSTALL = { $(BIN)/python -m uv --version >/dev/null 2>&1 || $(BIN)/python -m pip install --quiet uv; } && \
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --editable $(1) 2>$(VENV)/uv.log || \
	$(BIN)/python -m pip install --quiet --editable $(1)

.PHONY: help demo test test-long test-integrations test-model check lint fmt types floors bench clean

help:
	@sed -n '2,7s/^# *//p' Makefile

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: none was found on PATH" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { $(PYTHON) -m venv --clear --without-pip $(VENV) && \
		$(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "setting up $(VENV) ..." >&2
	@$(call INSTALL,".")
	@touch $@

$(VENV)/.developing: pyproject.toml $(VENV)/.installed
	@echo "adding the development tools ..." >&2
	@$(call INSTALL,".[dev]")
	@touch $@

$(VENV)/.local-models: pyproject.toml $(VENV)/.developing
	@echo "adding a local model ..." >&2
	@$(call INSTALL,".[local-models]")
	@touch $@

demo: $(VENV)/.installed
	@$(BIN)/palimpsest demo $(if $(DEMO),"$(DEMO)")

# Bytecode is kept whatever the environment says: each process of the tests would compile all modules anew without it.
test: $(VENV)/.developing
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n 3 --dist worksteal

# The second line runs again, with everything, what looks at a sample in an ordinary run.
test-long: $(VENV)/.developing
	HYPOTHESIS_PROFILE=$(DEEP) PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest $(LONG) tests_long
	HYPOTHESIS_PROFILE=$(DEEP) PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest $(LONG) -m "sampled or hypothesis" tests

# Names in ONLY are those of tests/integrations/environments.toml; without it, all run.
test-integrations: $(VENV)/.developing
	@$(BIN)/python -m tests.integrations.environments $(ONLY)

test-model: $(VENV)/.local-models
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -s tests_long/test_local_model.py

check: lint types floors

lint: $(VENV)/.developing
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)

fmt: $(VENV)/.developing
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

# Two processes: each checks its own files, and the time is that of the longer one.
types: $(VENV)/.developing
	@$(BIN)/basedpyright src bench & first=$$!; $(BIN)/basedpyright tests tests_long; second=$$?; wait $$first && exit $$second

floors: $(VENV)/.developing
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.developing
	$(BIN)/python bench/latency.py $(BENCH)
	$(BIN)/python bench/first_request.py $(BENCH)
	$(BIN)/python bench/neighbours.py $(BENCH)
	$(if $(DATA),$(BIN)/python bench/tokens.py $(DATA) $(BENCH),@echo "give DATA=folders to measure estimates and survival" >&2)
	$(if $(DATA),$(BIN)/python bench/next_prompt.py $(DATA) $(BENCH))
	$(if $(DATA),$(BIN)/python bench/survival.py $(DATA) $(BENCH))
	$(if $(DATA),$(BIN)/python bench/recall.py $(DATA) --quick $(BENCH))
	$(if $(DATA),$(BIN)/python bench/cost.py $(DATA) $(BENCH))

clean:
	rm -rf $(VENV) .venv-integrations dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
