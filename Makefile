# Everything runs from .venv, which is made once with any Python >= 3.11 and remade only when the
# dependencies change. `make PYTHON=/path/to/python` chooses another interpreter.

PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11 python,\
	$(shell $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(p))))
BIN := .venv/bin
READY := .venv/.ready
SDKS := .venv/.sdks
PYTEST_ARGS ?= -n 2

.DEFAULT_GOAL := help
.PHONY: help venv demo test lint bench clean

help:
	@echo "make demo   set up and tell the story of the problem on one page"
	@echo "make test   set up and run the whole suite (PYTEST_ARGS='-k name' narrows it)"
	@echo "make lint   ruff, mypy and the contract on imports"
	@echo "make bench  the ratios that the design promises, on 200,000 claims"
	@echo "make clean  remove the environment and everything that was generated"

venv: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "no Python >= 3.11 found; say make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing into .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

# What only the suite uses is large: a demo does not wait for it.
$(SDKS): $(READY)
	@echo "installing the SDKs whose types the suite reads (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[sdks]'
	@touch $@

demo: $(READY)
	@$(BIN)/prov-ledger demo

test: $(SDKS)
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@$(BIN)/python -m benchmarks

clean:
	@rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@rm -rf *.egg-info
	@find prov_ledger tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
