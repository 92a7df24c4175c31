# make demo          train a network on handwritten digits and draw digits.png
# make test          everything this Python can check (3.11 with jaxlib 0.10 where `python3.11` is found)
# make test-newest   the same with Python 3.13 and jaxlib 0.12, in a second environment
# make bench         times against JAX, as ratios; adds a line to bench/history.jsonl
# make lint          ruff
# make clean         removes both environments and what Python left behind

SHELL := /bin/bash

# The first of these that runs and is a version we support. A name alone is not enough: a shim may stand for nothing.
SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
NEWEST_ONLY := import sys; sys.exit(sys.version_info[:2] != (3, 13))
first_running = $(shell for python in $(1); do $$python -c "$(2)" 2>/dev/null && { echo $$python; break; }; done)

PYENV_ROOT ?= $(HOME)/.pyenv
PYTHON ?= $(call first_running,python3.11 python3 python3.12 python3.13,$(SUPPORTED))
NEWEST ?= $(call first_running,python3.13 $(wildcard $(PYENV_ROOT)/versions/3.13*/bin/python3.13),$(NEWEST_ONLY))

VENV := .venv
VENV_NEWEST := .venv-newest

.PHONY: demo test test-newest bench lint clean

demo: $(VENV)/.examples
	$(VENV)/bin/python examples/digits.py

# Groups of tests, each in a process of its own, two side by side; all run, and one failure in any of them fails the target (a
# group in which ARGS leave no test, pytest's 5, does not). Arguments for every group: make test ARGS="-x -k scan"
define run_tests
pytest() { $(1)/bin/python -m pytest -q --continue-on-collection-errors "$$@" $(ARGS) || [ $$? -eq 5 ]; }; \
failed=0; beside=$$(mktemp); \
{ echo "== gnomon beside JAX =="; pytest -m peer tests; peer=$$?; \
  echo "== laws =="; pytest -m "not peer" tests/laws && exit $$peer; } > $$beside 2>&1 & second=$$!; \
echo "== gnomon alone =="; \
pytest -m "not peer" --ignore=tests/laws --doctest-modules tests gnomon || failed=1; \
wait $$second || failed=1; \
cat $$beside; rm -f $$beside; \
exit $$failed
endef

test: $(VENV)/.test
	@$(call run_tests,$(VENV))

test-newest: $(VENV_NEWEST)/.test
	@$(call run_tests,$(VENV_NEWEST))

bench: $(VENV)/.test
	$(VENV)/bin/python bench/compare.py $(ARGS)

lint: $(VENV)/.lint
	$(VENV)/bin/ruff check gnomon tests examples bench

clean:
	rm -rf $(VENV) $(VENV_NEWEST) build dist *.egg-info .pytest_cache .hypothesis .ruff_cache
	find gnomon tests examples bench -name __pycache__ -prune -exec rm -rf {} +

# Environments. A stamp is older than pyproject.toml exactly when something it names may have changed.
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

$(VENV)/.made: pyproject.toml
	@test -n "$(PYTHON)" || { echo "gnomon needs Python 3.11, 3.12 or 3.13; none was found. Try make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python $(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.examples: $(VENV)/.made
	$(VENV)/bin/python $(PIP_INSTALL) --editable ".[examples]"
	@touch $@

$(VENV)/.test: $(VENV)/.made
	$(VENV)/bin/python $(PIP_INSTALL) --editable ".[test,examples]"
	@touch $@

$(VENV)/.lint: $(VENV)/.made
	$(VENV)/bin/python $(PIP_INSTALL) --editable ".[lint]"
	@touch $@

$(VENV_NEWEST)/.test: pyproject.toml
	@test -n "$(NEWEST)" || { echo "test-newest needs Python 3.13; none was found. Try make NEWEST=/path/to/python3.13"; exit 1; }
	$(NEWEST) -m venv $(VENV_NEWEST)
	$(VENV_NEWEST)/bin/python $(PIP_INSTALL) --editable ".[test,examples]"
	@touch $@
