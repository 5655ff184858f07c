# Everything a clone needs is made here, under .venv and .local, from the package registries alone.
# No Docker, no Node.js, no AWS account; Python 3.11 or newer is enough.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

OLDEST_PYTHON := 3.11
UV := .local/tools/bootstrap/bin/uv
RUN := .venv/bin/python
LOCAL := PYTHONPATH=.:shared $(RUN) -m infra.local

FILE ?=
ROWS ?=
ONLY ?=
ENV ?=
STACK ?=
MINUTES ?=
CALLERS ?=
QUEUE ?=
EXAMPLES ?=
NAME ?=

# The first interpreter that is new enough, unless PYTHON names one.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v "$$python" && break; \
	done)

.PHONY: help
help: ## Say what there is to say
	@echo "make TARGET, in a fresh clone as well:"
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: .venv/made ## Hand one data set from node to node on this laptop [FILE=path]
	@PYTHONPATH=.:shared $(RUN) -m infra.local.demo $(if $(FILE),"$(FILE)")

.PHONY: example
example: .venv/made ## Run a program of shared/examples on a throwaway cloud: NAME=name [STACK=name of one that is up]
	@PYTHONPATH=.:shared $(RUN) -m infra.local.example "$(NAME)" $(STACK_OPTION)

.PHONY: up
up: .venv/made ## Start a local cloud and keep it running; writes .local/env
	@$(LOCAL) up

.PHONY: down
down: .venv/made ## Stop the local cloud; what it holds is kept
	@$(LOCAL) down

.PHONY: check
check: .venv/made ## The fast part of the tests: lint, types, unit, contract, architecture
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	@$(MAKE) --no-print-directory --jobs=2 types fast

# Beside each other, for mypy keeps to one core.
.PHONY: types fast
types: .venv/made
	.venv/bin/mypy --exclude _host/ shared lambdas infra app.py
	.venv/bin/mypy --package localstack_host
	@for each in shared/examples/*/; do .venv/bin/mypy $$(find $$each -name '*.py') || exit 1; done

fast: .venv/made
	@$(WITH_NODE) $(RUN) -m pytest --numprocesses auto $(FAST)

.PHONY: test
test: check ## Everything: the fast part, the template, both emulators, end to end
	@$(WITH_NODE) $(RUN) -m pytest --numprocesses auto --dist loadscope $(addprefix --ignore=,$(FAST))

.PHONY: model
model: .venv/made ## Play random commands and crashes against the model, for longer than the tests do [EXAMPLES=1000]
	@EXAMPLES="$(or $(EXAMPLES),1000)" $(RUN) -m pytest --capture=tee-sys --timeout 0 tests/model/test_crashes.py

.PHONY: audit
audit: .venv/made ## Ask which pinned releases are known to be vulnerable; writes .local/sbom.json [ONLY=deployed]
	@$(UV) sync --frozen --quiet --inexact --no-python-downloads --python "$(PYTHON)" --group audit
	@$(RUN) -m infra.supply sbom
	@$(RUN) -m infra.supply audit$(if $(ONLY),-$(ONLY))

.PHONY: bench
bench: .venv/made ## Measure against other readers, side by side [ROWS=1000000] [ONLY=page,chart] [FILE=path]
	@$(UV) sync --frozen --quiet --no-python-downloads --python "$(PYTHON)" --group bench
	@PYTHONPATH=.:shared $(RUN) -m tests.bench $(strip $(BENCH_OPTIONS))

.PHONY: soak
soak: .venv/made ## Let callers register, list, page and load beside each other [MINUTES=2] [CALLERS=32]
	@PYTHONPATH=.:shared $(RUN) -m tests.soak $(strip $(SOAK_OPTIONS))

.PHONY: bench-clean
bench-clean: ## Remove what the benchmark made: several gigabytes
	rm -rf .local/bench

.PHONY: synth
synth: .venv/made ## Synthesize the template [ENV=sandbox|production] [STACK=name]
	@$(call REFUSE_OTHERS,$(or $(ENV),sandbox))
	@$(LOCAL) cdk synth --quiet $(call CONTEXT,$(or $(ENV),sandbox))
	@echo "cdk-nag passed. The template: cdk.out/$(or $(STACK),session-datasets).template.json"

.PHONY: bootstrap
bootstrap: .venv/made ## Prepare the AWS account of your credentials for CDK, once for each region
	@$(call REFUSE_OTHERS,$(or $(ENV),sandbox))
	@$(LOCAL) cdk bootstrap $(call CONTEXT,$(or $(ENV),sandbox))

.PHONY: deploy
deploy: .venv/made ## Deploy to the AWS account of your credentials: ENV=sandbox|production [STACK=name]
	@$(call REFUSE_OTHERS,$(ENV))
	@$(LOCAL) compare --env $(ENV) $(STACK_OPTION)
	@$(LOCAL) cdk deploy $(call CONTEXT,$(ENV))

.PHONY: prune
prune: .venv/made ## Delete the functions' versions that earlier deploys left in that account [STACK=name]
	@$(LOCAL) prune $(STACK_OPTION)

.PHONY: redrive
redrive: .venv/made ## Have dead letters of that account done once more: QUEUE=profiles|audits|events [STACK=name]
	@case "$(QUEUE)" in profiles|audits|events) ;; \
		*) echo "Say which: make redrive QUEUE=profiles|audits|events" >&2; exit 2;; esac
	@$(LOCAL) redrive "$(QUEUE)" $(STACK_OPTION)

.PHONY: audit-files
audit-files: .venv/made ## Compare all records of that account with its files, both ways, in the background [STACK=name]
	@$(LOCAL) audit-files $(STACK_OPTION)

.PHONY: clean
clean: ## Remove everything that was made here, the local cloud's data too
	@if [ -x $(RUN) ]; then $(LOCAL) down; fi
	rm -rf .venv .local .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache cdk.out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The rings that need no deployment.
FAST = $(addprefix tests/,unit corpora contract peers model architecture)

BENCH_OPTIONS = $(if $(ROWS),--rows $(ROWS)) $(if $(ONLY),--only "$(ONLY)") $(if $(FILE),--file "$(FILE)")
SOAK_OPTIONS = $(if $(MINUTES),--minutes "$(MINUTES)") $(if $(CALLERS),--callers "$(CALLERS)")

# What the app is told, and which stack a command is about, when another name than the usual one is given.
CONTEXT = --context env=$(1) $(if $(STACK),--context "stack=$(STACK)")
STACK_OPTION = $(if $(STACK),--stack "$(STACK)")

# Ends a command that was given another environment than the two of a real account.
REFUSE_OTHERS = case "$(1)" in sandbox|production) ;; \
	*) echo "Say where: make $@ ENV=sandbox or ENV=production" >&2; exit 2;; esac

# Where somebody watches, uv shows its progress.
QUIET = $$([ -t 2 ] || echo --quiet)

# A Node.js the CDK library can run on: the machine's own, or one installed under .local.
WITH_NODE = node="$$($(LOCAL) node)" && eval "$$node" &&

# The locked environment. uv makes it; the file, written last, says that it is whole.
.venv/made: pyproject.toml uv.lock $(UV)
	@echo "Making .venv from uv.lock ..."
	@$(UV) sync --frozen $(QUIET) --no-python-downloads --python "$(PYTHON)"
	@touch $@

$(UV): infra/local/requirements/uv.txt
	@if [ -z "$(PYTHON)" ]; then \
		echo "Python $(OLDEST_PYTHON) or newer is needed, and no python3 or python3.11 ... python3.14 on the PATH is one." >&2; \
		exit 1; fi
	@mkdir -p .local/tools
	@"$(PYTHON)" -m venv --clear .local/tools/bootstrap
	@.local/tools/bootstrap/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	@touch $@
