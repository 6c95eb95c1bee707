# SPDX-License-Identifier: BSD-2-Clause
# What is asked of the tree itself

LINT_KERNELS := 6.1 6.12 newest

.PHONY: check-lint
check-lint: ## W=1 with gcc and clang, sparse, checkpatch, shellcheck, rooms, messages of commits, packages, the bill of materials, the ABI of the libraries
	$(MAKE) -s -j$(JOBS) userspace
	selftests/kit/tap-summary --jobs $(JOBS) 'selftests/quality/lint/text $(LINT_KERNELS)' \
		'selftests/quality/lint/user' $(LINT_KERNELS:%='selftests/quality/lint/module $(B) %') \
		'selftests/quality/run-packages $(B)' 'selftests/quality/run-sbom $(B)' 'selftests/quality/run-abi $(B)'

.PHONY: arm64
arm64: ## the module without what is x86's, compiled for arm64
	selftests/quality/arm64

.PHONY: proof
proof: ## what Documentation/quality/proofs.rst claims, for all values (frama-c-base, why3, cvc4)
	selftests/proof/run-proof

# Counts are of these tests alone: those of an earlier run are forgotten
COVERAGE := -O0 -g --coverage

.PHONY: coverage-tests
coverage-tests: again-tests $(B)/history $(B)/packets-oracle

.PHONY: coverage
coverage: ## lines and branches of engine and library that the host tests run (gcov)
	@selftests/guest/vm/setup build check
	$(MAKE) -s -j$(JOBS) coverage-tests B=$(B)/coverage CFLAGS='$(COVERAGE)' LDFLAGS=--coverage
	find $(B)/coverage -name '*.gcda' -delete
	selftests/kit/tap-summary --jobs $(JOBS) $(call again,$(B)/coverage) \
		'selftests/host/oracle/run-perf --softpt $(B)/coverage/softpt' \
		'selftests/host/port/run-model --softpt $(B)/coverage/softpt' \
		'$(B)/coverage/packets-oracle 30000' \
		'$(B)/coverage/history 30' \
		--rest 'selftests/quality/coverage $(B)/coverage'

.PHONY: coverage-module
coverage-module: guest-tests ## lines of the module that the guest tests run (gcov, in QEMU)
	selftests/kit/tap-summary 'selftests/guest/vm/run 6.1-kasan:all' \
		'selftests/quality/coverage --guest --lines 80 --branches 0 $(B)/guest/6.1-kasan/out'

MUTANTS ?= 300
MUTANTS_SEED ?= 1

.PHONY: mutants
mutants: ## would the tests notice? MUTANTS=300 small changes to engine and decoder (hours; goes on where it was)
	@selftests/guest/vm/setup build check
	selftests/quality/mutants/run-mutants --seed $(MUTANTS_SEED) --count $(MUTANTS)

.PHONY: bench
bench: userspace $(B)/packets-bench ## engine and decoders against libipt, as ratios
	$(B)/softpt bench
	$(B)/packets-bench
	selftests/quality/bench/run-cost $(B)

CHECKPATCH ?= checkpatch.pl
STYLE_SRC = $(shell git ls-files '*.c' '*.h')

.PHONY: style
style: ## checkpatch over every C file (CHECKPATCH=path of checkpatch.pl)
	@command -v $(CHECKPATCH) > /dev/null || \
		{ echo 'checkpatch.pl is missing: make style CHECKPATCH=LINUX/scripts/checkpatch.pl'; exit 1; }
	$(CHECKPATCH) --no-tree --strict --terse -q -f $(STYLE_SRC)
