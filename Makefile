# Short names for tasks. scripts/ and CMakePresets.json do the work.
.DEFAULT_GOAL := help
.PHONY: help setup build install demo test test-ci test-deep test-python test-python-versions test-python-asan test-torch test-cuda gpu-check test-sdist wheel sdist dist release-check docs bench lint format clean

# CMake reads the launcher from the environment. ccache needs the sloppiness for precompiled headers.
ifneq ($(shell command -v ccache),)
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
endif

help: ## Show this list
	@sed --quiet --regexp-extended 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand --tabs=20

setup: ## Install the packages that building needs (Debian 12; as root or with sudo)
	@scripts/setup.sh build
setup-%:
	@scripts/setup.sh $*

build: setup ## Build build/release/bin/cavs
	@cmake --preset release
	@cmake --build --preset release

# DESTDIR is put before PREFIX, as packaging tools expect.
PREFIX ?= /usr/local
install: build ## Install the build; PREFIX=FOLDER (default /usr/local), DESTDIR=FOLDER
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

demo: build ## Train a Tree-LSTM on ListOps and let it evaluate three expressions
	@scripts/demo.sh

test: setup-test ## Run the tests (15 minutes on two processors)
	@scripts/test.sh test
test-ci: setup-sanitizers ## Run the tests of CI: also the core under sanitizers, and portable code
	@scripts/test.sh ci
# scripts/test.sh lists the parts, such as PART=random.
test-deep: setup-all ## Run the long tests, before a release; PART=NAME runs one part
	@scripts/test.sh deep $(PART)

# PYTHON=python3.12 chooses the interpreter, TORCH=2.6 the version of PyTorch.
wheel: setup-build ## Build the Python package as a wheel (build/wheels)
	@scripts/python.sh wheel
sdist: ## Build the Python package as a source distribution (build/wheels)
	@scripts/python.sh sdist
test-python: setup-build ## Test the wheel, in a virtual environment with only NumPy
	@scripts/python.sh test
test-python-versions: setup-build ## Test the wheels with every installed Python from 3.10 to 3.14
	@scripts/python.sh test-versions
test-python-asan: setup-build ## Test the Python module under AddressSanitizer
	@scripts/python.sh test-asan
test-torch: setup-build ## Test cavs.torch with PyTorch (4 GB in build/python)
	@scripts/torch.sh
test-cuda: setup-test ## Test the GPU kernels without a GPU, with all models (minutes)
	@scripts/cuda.sh
gpu-check: setup-test ## Prepare build/gpu-check, a check to run on a machine with a GPU
	@scripts/gpu-check.sh prepare
test-sdist: setup-build ## Test the source distribution, installed with pip
	@scripts/python.sh test-sdist
docs: setup-test ## Build the site: documentation and references (build/docs/html)
	@scripts/python.sh docs

dist: ## Pack a release of the last commit: sources, wheels, Debian packages (build/dist)
	@scripts/release.sh dist
# PART=debian, for example, selects one part; scripts/release.sh lists them.
release-check: setup-all ## Make the release twice and check everything in it (hours)
	@scripts/release.sh check $(PART)

bench: setup-bench build ## Measure the speed of training; DATA=SPEC chooses the trees
	@scripts/bench.sh $(DATA)

lint: setup-lint ## Check formatting, common mistakes, scripts and file lengths
	@scripts/lint.sh
format: setup-lint ## Format every C++ file in place
	@git ls-files '*.cc' '*.cuh' '*.h' | xargs --no-run-if-empty clang-format-14 -i

clean: ## Remove everything that was built
	@rm --recursive --force build
