# The front door; the work is done by scripts/ and CMakePresets.json.
.DEFAULT_GOAL := help
.PHONY: help setup build install demo test test-ci test-deep test-python test-python-versions test-python-asan test-torch test-cuda gpu-check test-sdist wheel sdist dist release-check docs bench lint format clean

# CMake takes the launcher from here; precompiled headers need the sloppiness.
ifneq ($(shell command -v ccache),)
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
endif

help: ## Show this list
	@sed --quiet --regexp-extended 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand --tabs=20

setup: ## Install what building needs (Debian 12; as root or with sudo)
	@scripts/setup.sh build
setup-%:
	@scripts/setup.sh $*

build: setup ## Build build/release/bin/cavs
	@cmake --preset release
	@cmake --build --preset release

# DESTDIR, if it is set, goes before PREFIX, for packages.
PREFIX ?= /usr/local
install: build ## Install what was built; PREFIX=FOLDER (default /usr/local), DESTDIR=FOLDER
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

demo: build ## Train a Tree-LSTM on ListOps and ask it for three expressions
	@scripts/demo.sh

test: setup-test ## Run the tests: a quarter of an hour on two processors
	@scripts/test.sh test
test-ci: setup-sanitizers ## And the core under sanitizers, and in portable code
	@scripts/test.sh ci
# PART=random, say, names one part; scripts/test.sh lists them.
test-deep: setup-all ## Run what takes long, before a release; PART=NAME runs one part
	@scripts/test.sh deep $(PART)

# PYTHON=python3.12, say, names the interpreter, TORCH=2.6 the version of PyTorch.
wheel: setup-build ## Build the Python package as a wheel (build/wheels)
	@scripts/python.sh wheel
sdist: ## Pack the sources of the Python package (build/wheels)
	@scripts/python.sh sdist
test-python: setup-build ## Test the wheel, in a virtual environment with NumPy alone
	@scripts/python.sh test
test-python-versions: setup-build ## Test the wheels with Python 3.10 to 3.13, those that are there
	@scripts/python.sh test-versions
test-python-asan: setup-build ## Test the Python module under AddressSanitizer
	@scripts/python.sh test-asan
test-torch: setup-build ## Test cavs.torch with PyTorch (4 GB in build/python)
	@scripts/torch.sh
test-cuda: setup-test ## Test the kernels of the GPU without one, all models (minutes)
	@scripts/cuda.sh
gpu-check: setup-test ## Prepare what a machine with a GPU runs, in build/gpu-check
	@scripts/gpu-check.sh prepare
test-sdist: setup-build ## Install the sdist with pip alone
	@scripts/python.sh test-sdist
docs: setup-test ## Build the site: documents and references (build/docs/html)
	@scripts/python.sh docs

dist: ## Pack a release of the last commit: sources, wheels, Debian packages (build/dist)
	@scripts/release.sh dist
# PART=debian, say, names one part; scripts/release.sh lists them.
release-check: setup-all ## Make the release twice, and check everything in it: hours
	@scripts/release.sh check $(PART)

bench: setup-bench build ## Measure speed; DATA=SPEC chooses the trees
	@scripts/bench.sh $(DATA)

lint: setup-lint ## Check format, common mistakes, scripts and file lengths
	@scripts/lint.sh
format: setup-lint ## Format every C++ file in place
	@git ls-files '*.cc' '*.cuh' '*.h' | xargs --no-run-if-empty clang-format-14 -i

clean: ## Remove everything that was built
	@rm --recursive --force build
