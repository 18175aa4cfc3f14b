# Everything runs in a virtual environment of its own, .venv, made on first use.
#   make demo    set up, run the main scenario, leave pictures and a recording
#   make test    set up, run the tests that take minutes together; `make test-all` runs the slow ones, which it leaves out

# The first Python on this machine that is new enough; `make PYTHON=/path/to/python` decides otherwise.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
DEMO := grasping
# Processes that share the tests, each file in one of them.
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --durations 20 --durations-min 5

.PHONY: demo test test-all bits gallery lint speed steps fuzz verify clean

demo: .venv/ready
	@echo "Running $(DEMO); the first run on a machine compiles for a minute or two before anything else"
	$(BIN)/robotphi run $(DEMO)

test: .venv/ready-dev
	$(BIN)/python -m tests.warm --workers $(WORKERS)
	$(PYTEST) -m "not slow"

test-all: .venv/ready-dev
	$(PYTEST) -m slow

bits: .venv/ready-dev
	$(BIN)/python -m tests.bits.bits --renew

# Pictures of docs/gallery.md from the recordings in runs/; scenarios that have none there are run first.
gallery: .venv/ready
	$(BIN)/python docs/gallery.py

lint: .venv/ready-dev
	$(BIN)/ruff check .

verify: .venv/ready
	$(BIN)/robotphi verify

speed: .venv/ready
	$(BIN)/robotphi bench

steps: .venv/ready
	$(BIN)/python -m tests.speed.steps

# Scene files with something wrong in them, ten minutes; then random scenes, which go on where they were broken off: runs/fuzz.jsonl.
fuzz: .venv/ready-dev
	$(BIN)/python -m tests.fuzz.mutated_files --count 100000
	$(BIN)/python -m tests.fuzz.long_run --workers $(WORKERS)

clean:
	rm -rf .venv build dist runs *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.10 or newer is needed and was not found; name one: make PYTHON=/path/to/python"; exit 1; }
	@echo "Making the virtual environment .venv with $(PYTHON)"
	@# Some systems ship Python without ensurepip; their pip can put one into the environment.
	@$(PYTHON) -m venv .venv >/dev/null 2>&1 || { rm -rf .venv && $(PYTHON) -m venv --without-pip .venv \
		&& $(PYTHON) -m pip --quiet --python .venv/bin/python install pip; } \
		|| { rm -rf .venv; echo "$(PYTHON) can make no virtual environment: its modules venv and ensurepip (or pip) are missing"; exit 1; }

.venv/ready: .venv/bin/python setup.cfg pyproject.toml
	@echo "Installing what it needs into .venv"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/ready-dev: .venv/bin/python setup.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ .venv/ready
