# Every command of the project. `make` alone says which there are.

PYTHON    ?= python3
LOGS      ?= tests/data/sample
WAREHOUSE ?= warehouse
CLUSTER   ?=
ZONE      ?=
ARGS      ?=
LINE      ?=

VENV := .venv
PY   := $(VENV)/bin/python
JARS := jars

comma := ,

SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help run incident report explain maintain test check soak bench coverage notebook docs wheel clean setup jars preflight FORCE

# What is given is text: recipes take it from the environment, so that neither make nor a shell reads it as its own.
unexport LINE LOGS WAREHOUSE CLUSTER ZONE
export LINE_AS_GIVEN := $(value LINE)
export LOGS_AS_GIVEN := $(value LOGS)
export WAREHOUSE_AS_GIVEN := $(value WAREHOUSE)
export CLUSTER_AS_GIVEN := $(value CLUSTER)
export ZONE_AS_GIVEN := $(value ZONE)

# The arguments that they are: LOGS is one path if that is there, else several with spaces between them.
define as_arguments
logs=("$$LOGS_AS_GIVEN"); [ -e "$$LOGS_AS_GIVEN" ] || read -r -d '' -a logs <<< "$$LOGS_AS_GIVEN" || true; \
cluster=(); [ -z "$$CLUSTER_AS_GIVEN" ] || cluster=("--cluster=$$CLUSTER_AS_GIVEN"); \
zone=(); [ -z "$$ZONE_AS_GIVEN" ] || zone=("--zone=$$ZONE_AS_GIVEN");
endef

# Spark as the project ships it, unless the user has a Spark configuration of their own.
# Delta's jars are then taken from jars/: no start of Spark asks the network, or prints what it resolved.
export PYSPARK_PYTHON := $(CURDIR)/$(PY)
ifeq ($(SPARK_CONF_DIR)$(SPARK_HOME),)
with_jars := $(VENV)/with-jars
endif

help: ## this text
	@echo 'usage: make <target> [LOGS="dir ..."] [WAREHOUSE=dir] [CLUSTER=name] [ZONE=Area/City] [ARGS="..."] [PYTHON=python3.12]'
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

run: setup ## audit LOGS (default: the sample) into WAREHOUSE; installs what is missing first
	@$(as_arguments) $(PY) jobs/nightly.py "$${logs[@]/#/--logs=}" "--warehouse=$$WAREHOUSE_AS_GIVEN" \
		"$${cluster[@]}" "$${zone[@]}" $(ARGS)

incident: preflight $(VENV)/installed ## what happened, from LOGS alone, in seconds: no Java, nothing is stored (ARGS="--since TIME")
	@$(as_arguments) $(PY) -m jobs incident "$${cluster[@]}" "$${zone[@]}" $(ARGS) -- "$${logs[@]}"

report: preflight $(VENV)/installed ## audit.html of LOGS (default: the sample): what incident finds, as one file to hand on
	@$(as_arguments) $(PY) -m jobs incident --report audit.html "$${cluster[@]}" "$${zone[@]}" $(ARGS) -- "$${logs[@]}"

explain: preflight $(VENV)/installed ## what a log line means: LINE='[...] ...', or ARGS="--file FILE --line N"
	@if [ -n "$$LINE_AS_GIVEN" ]; then $(PY) -m jobs explain $(ARGS) -- "$$LINE_AS_GIVEN"; else $(PY) -m jobs explain $(ARGS); fi

maintain: setup ## fewer and smaller files in WAREHOUSE, none that no readable run needs (ARGS="--retain 400d")
	@$(as_arguments) $(PY) jobs/maintain.py "--warehouse=$$WAREHOUSE_AS_GIVEN" "$${cluster[@]}" $(ARGS)

# Tests start some hundred processes: each of them would compile all that it imports, where an environment forbids to keep it.
test check soak: export PYTHONDONTWRITEBYTECODE :=
test check soak: export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/bytecode
# So what pip would compile beside the modules is not read by them; a third of its time goes into that.
test check soak: export PIP_NO_COMPILE := 1

test: preflight $(VENV)/with-test setup ## the test suite; ARGS go to pytest
	@$(PY) -m pytest -n auto --dist loadgroup --no-loadscope-reorder $(ARGS)

check: preflight $(VENV)/with-check ## format, lint, types, layers and house rules; needs no Spark
	@$(PY) -m ruff format --check --output-format concise . > $(VENV)/format.log 2>&1 || { cat $(VENV)/format.log; echo 'check: these are not formatted; run $(VENV)/bin/ruff format .'; exit 1; }
	@$(PY) -m ruff check --quiet --output-format concise .
	@$(VENV)/bin/lint-imports --no-cache > $(VENV)/lint-imports.log 2>&1 || { cat $(VENV)/lint-imports.log; exit 1; }
	@$(PY) -m mypy --no-error-summary > $(VENV)/mypy.log 2>&1 & mypy=$$!; \
		$(PY) -m pytest -q tests/house; house=$$?; \
		wait $$mypy || { cat $(VENV)/mypy.log; exit 1; }; exit $$house

soak: preflight $(VENV)/with-test setup ## the long versions of the tests: some hours
	@$(PY) -m pytest -m soak $(ARGS)

bench: preflight $(VENV)/with-test setup ## how fast it reads, beside others, and how much it keeps (ARGS="--parts storage --logs DIR")
	@$(PY) -m tests.bench $(ARGS)

coverage: preflight $(VENV)/with-test setup ## what is understood of real logs (ARGS="--logs DIR": of yours), by release, logger and event
	@$(PY) -m tests.coverage $(ARGS)

notebook: setup $(VENV)/with-notebook ## Jupyter Lab in notebooks/, with Spark and Delta ready
	@mkdir -p notebooks
	@case "$$WAREHOUSE_AS_GIVEN" in /*|*://*) place="$$WAREHOUSE_AS_GIVEN";; *) place="$$PWD/$$WAREHOUSE_AS_GIVEN";; esac; \
		WAREHOUSE="$$place" CLUSTER="$$CLUSTER_AS_GIVEN" $(PY) -m jupyterlab --notebook-dir=notebooks $(ARGS)

docs: preflight $(VENV)/with-spark ## write the generated parts of README.md and docs/ anew
	@$(PY) -m jobs.docs

wheel: preflight $(VENV)/installed ## dist/*.whl, and the same as .zip for spark-submit --py-files
	@rm -rf dist && mkdir dist
	@$(PY) -m pip wheel --quiet --no-deps --wheel-dir dist . > $(VENV)/wheel.log 2>&1 || { tail -n 5 $(VENV)/wheel.log; exit 3; }
	@for wheel in dist/*.whl; do cp "$$wheel" "$${wheel%.whl}.zip"; done; ls dist/*

clean: ## remove what make made: environment, jars, dist, caches; never a warehouse
	@rm -rf $(VENV) $(JARS) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis \
		spark-warehouse metastore_db derby.log
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

setup: preflight $(VENV)/with-spark $(with_jars) ## environment and jars, without running anything

jars: preflight $(VENV)/with-spark ## Delta's jars into jars/, to carry to a machine without network
	@$(PY) jobs/warm_up.py $(JARS) $(VENV)/jars.log
	@echo 'Delta is in $(JARS)/: copy that folder into a checkout without network, or use spark-submit --jars'

# ---- what the targets stand on

preflight:
	@test -x $(PY) || command -v "$(PYTHON)" > /dev/null || { \
		echo 'Expected Python 3.11, 3.12 or 3.13, found no $(PYTHON); install one and name it: make run PYTHON=python3.12.' >&2; exit 3; }
	@"$(firstword $(wildcard $(PY)) $(PYTHON))" jobs/preflight.py

# $(1): what is installed, for pip; $(2): what it is, for people; $(3): how long it takes
define install
	@echo 'setup: installing $(2) into $(VENV) ($(3))'
	@$(PY) -m pip install --disable-pip-version-check --constraint constraints.txt --editable '$(1)' > $(VENV)/pip.log 2>&1 || { \
		reason=$$(grep -o 'ERROR: .*' $(VENV)/pip.log | head -n 1 | cut -c 8-200); \
		echo "Expected pip to install the pinned packages, found that it failed ($${reason:-no reason given}; all of it in $(VENV)/pip.log);" \
			'connect to the network or point pip to your package mirror (pip config), then run the command again.' >&2; exit 3; }
	@touch $@
endef

$(VENV)/created:
	@rm -rf $(VENV)
	@"$(PYTHON)" -m venv $(VENV) > .venv-problem 2>&1 && rm -f .venv-problem && touch $@ || { rm -rf $(VENV) .venv-problem; \
		echo 'Expected "$(PYTHON) -m venv" to work, found that it fails; install the venv package of this Python (Debian: python3-venv).' >&2; exit 3; }

# What incident, report and explain need: no Spark, and nothing that reads or writes a warehouse.
$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/created
	$(call install,.,the pinned packages,some seconds)

$(VENV)/with-spark: $(VENV)/installed
	$(call install,.[spark],Spark and Delta,about a minute)

# Each call of pip takes ten seconds, so these bring what they stand on.
$(VENV)/with-test: pyproject.toml constraints.txt | $(VENV)/created
	$(call install,.[spark$(comma)test],Spark$(comma) Delta and what the tests need,a minute or two)
	@touch $(VENV)/installed $(VENV)/with-spark $@

$(VENV)/with-check: pyproject.toml constraints.txt | $(VENV)/created
	$(call install,.[spark$(comma)test$(comma)check],Spark$(comma) Delta and what tests and checks need,a minute or two)
	@touch $(VENV)/installed $(VENV)/with-spark $(VENV)/with-test $@

$(VENV)/with-notebook: $(VENV)/with-spark
	$(call install,.[notebook],Jupyter Lab,some seconds)

$(VENV)/with-jars: $(VENV)/with-spark conf/spark-defaults.conf $(if $(wildcard $(JARS)/*delta-spark*.jar),,FORCE)
	@echo 'setup: getting the jars of Delta Lake into $(JARS) (some seconds, 10 MB)'
	@$(PY) jobs/warm_up.py $(JARS) $(VENV)/jars.log
	@touch $@
