# make run   sets everything up and runs the default study: tables, figures, results/desk/report.html
# make test  sets everything up and runs the tests
# Everything else: make help

SHELL := /bin/bash
PYTHON ?= python3
CORES ?= all
INSTALLER ?= uv
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
COMPILED := $(VENV)/.compiled
# Tests on all cores; an idle process takes over tests of a busy one.
SPREAD := --numprocesses=auto --dist=worksteal
KERNELS := $(shell grep -rl 'losaw.kernels' src --include='*.py')

# One thread per job: parallelism comes from blocks. Loops are compiled for the processor that the
# command line names too (losaw.cli), so that tests and commands share them. Byte code is written
# everywhere, and compared with the content of its source (checked-hash).
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export NUMBA_NUM_THREADS := 1
export NPROC := 1
ifneq ($(filter x86_64 AMD64,$(shell uname -m)),)
export NUMBA_CPU_NAME := znver4
endif
unexport PYTHONDONTWRITEBYTECODE

# make itself takes any name, and says nothing of one that is not used: scale=paper would be lost.
VARIABLES := ACCOUNT ARGS CORES INSTALLER JOBS PARTITION PYTHON SCALE SHELL STUDIES
NAMED := $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))
$(foreach name,$(filter-out $(VARIABLES) -%,$(NAMED)),$(error $(name)=$($(name)): no variable of this Makefile, which has $(VARIABLES)))

# Of two --config Snakemake takes the last, and says nothing of the first.
$(if $(SCALE)$(STUDIES),$(if $(filter --config --config=% -C%,$(ARGS)),$(error ARGS has --config, which SCALE and STUDIES would replace: name scale= and studies= in it)))

.DEFAULT_GOAL := help
.PHONY: help install run run-slurm test test-long test-mutants test-slurm lint docs bench lock clean

help:
	@sed -n 's/^##//p' Makefile

## make install     the environment in .venv, from the hashed requirements (INSTALLER=pip uses pip alone)
install: $(STAMP) $(COMPILED)

# The environment of a checkout that was copied or moved runs the losaw of the old place: a new one.
HERE := $(shell grep -lxsF '$(CURDIR)/src' $(VENV)/lib/python*/site-packages/*losaw.pth)
.PHONY: moved
$(STAMP): requirements.txt pyproject.toml $(if $(HERE),,moved)
	test -n "$(HERE)" || { rm -rf $(VENV) && $(PYTHON) -m venv $(VENV); }
ifeq ($(INSTALLER),uv)
	awk '/^uv==/ {on = 1} on; on && !/\\$$/ {exit}' requirements.txt > $(VENV)/uv.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-build-isolation --no-deps --editable .
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
endif
	$(BIN)/python -m compileall -q -f --invalidation-mode checked-hash src
	touch $(STAMP)

$(COMPILED): $(STAMP) $(KERNELS)
	$(BIN)/losaw compile
	touch $(COMPILED)

## make run         the default studies on all cores (CORES=2, SCALE=paper, STUDIES=ufi,treeinner, ARGS=…)
run: install
	$(BIN)/snakemake --cores $(CORES) $(ARGS) $(if $(SCALE)$(STUDIES),--config $(if $(SCALE),scale=$(SCALE)) $(if $(STUDIES),studies=$(STUDIES)))

## make run-slurm   the default studies as jobs of a Slurm cluster (ACCOUNT=, PARTITION=, JOBS=200; docs/cluster.md)
# Without an accounting database sacct never answers: then squeue is used.
run-slurm: install
	$(BIN)/snakemake --workflow-profile profiles/slurm $(if $(JOBS),--jobs $(JOBS)) \
	  $(if $(ACCOUNT)$(PARTITION),--default-resources mem_mb=4000 runtime=30 $(if $(ACCOUNT),slurm_account=$(ACCOUNT)) $(if $(PARTITION),slurm_partition=$(PARTITION))) \
	  $$(scontrol show config | grep -q 'AccountingStorageType *= *accounting_storage/none' && echo --slurm-status-command squeue) \
	  $(ARGS) $(if $(SCALE)$(STUDIES),--config $(if $(SCALE),scale=$(SCALE)) $(if $(STUDIES),studies=$(STUDIES)))

## make test        all tests except the long ones
test: install
	$(BIN)/python -m pytest $(SPREAD) $(ARGS)

## make test-long   the long tests as well
test-long: install
	$(BIN)/python -m pytest $(SPREAD) -m "long or not long" $(ARGS)

## make test-mutants   change the package in one place at a time, and list what no test notices (tests/cosmic-ray.toml)
test-mutants: install
	$(BIN)/python -c "import cosmic_ray" 2> /dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[checks]"
	$(BIN)/cosmic-ray init tests/cosmic-ray.toml mutants.sqlite
	$(BIN)/cosmic-ray exec tests/cosmic-ray.toml mutants.sqlite
	$(BIN)/cr-report mutants.sqlite --show-pending

## make test-slurm  the study on a real one-node Slurm, started and stopped here (as root)
test-slurm: install
	@if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && ! { command -v slurmctld && command -v munged; } > /dev/null; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends slurm-wlm munge; fi
	LOSAW_TEST_SLURM=1 $(BIN)/python -m pytest tests/slurm -m long $(ARGS)

## make lint        style, types, imports that point downwards, the workflow
lint: install
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports --no-cache
	$(BIN)/snakefmt --check Snakefile workflow && $(BIN)/snakemake --lint

## make docs        build the documentation in docs/_build/html, with its study and pictures
docs: install $(VENV)/.documented
	$(BIN)/snakemake --directory docs/study --cores 2
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs auto docs docs/_build/html
	@echo docs/_build/html/index.html

$(VENV)/.documented: $(STAMP) docs/requirements.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r docs/requirements.txt
	touch $(VENV)/.documented

## make bench       speed, compared with other packages
bench: install
	$(BIN)/python benchmarks/forest.py
	$(BIN)/python benchmarks/network.py

## make lock        write the hashed requirements again, from pyproject.toml
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-header --no-annotate --no-emit-index-url
lock: install
	$(LOCK) --upgrade --extra all --extra test pyproject.toml --output-file requirements.txt
	$(LOCK) --upgrade --extra docs --constraint requirements.txt pyproject.toml --output-file docs/requirements.txt

## make clean       results, figures and caches (the environment stays)
clean:
	mkdir -p results figures
	find -H results figures -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} +
	rm -rf .snakemake .pytest_cache .mypy_cache .ruff_cache
