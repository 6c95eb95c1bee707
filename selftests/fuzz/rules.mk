# SPDX-License-Identifier: BSD-2-Clause
# Readers under libFuzzer, the device under one of its own in a guest

FUZZ_SECONDS ?= 70
FUZZERS := capture decoder events flow import packets perf port tables time
FUZZ := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

# Who calls a target: libFuzzer in `make fuzz`, else replay.c, once for each file of a corpus
FUZZ_MAIN ?= $(B)/obj/selftests/fuzz/replay.o

$(B)/fuzz/%: $(B)/obj/selftests/fuzz/%.o $(FUZZ_MAIN) $(TEST_LIB) $(B)/libsoftpt.a
	$(link)
$(B)/fuzz/packets: $(B)/obj/selftests/host/oracle/facts.o

.PHONY: fuzz-targets
fuzz-targets: $(FUZZERS:%=$(B)/fuzz/%)

.PHONY: fuzz
fuzz: userspace ## the readers, and engine and decoder as one, under libFuzzer (FUZZ_SECONDS=70)
	@selftests/guest/vm/setup check
	$(MAKE) -s -j$(JOBS) fuzz-targets B=$(B)/libfuzzer CC=clang CFLAGS='$(FUZZ)' \
		LDFLAGS=-fsanitize=fuzzer FUZZ_MAIN=
	selftests/fuzz/run-fuzz $(B)/libfuzzer $(B)/softpt $(FUZZ_SECONDS) $(FUZZERS)

# Numbers instead: short inputs, no ASan, what UBSan finds is a trap, and comparisons guide nothing.
FUZZ_FAST := -O2 -g -fsanitize-coverage=inline-8bit-counters,pc-table -fsanitize=undefined -fsanitize-trap=undefined
FUZZERS_FAST := decoder packets

.PHONY: fuzz-fast
fuzz-fast: userspace ## what decodes, ten times as often as by `fuzz`, without ASan (FUZZ_SECONDS=70)
	@selftests/guest/vm/setup check
	$(MAKE) -s -j$(JOBS) fuzz-targets B=$(B)/libfuzzer-fast CC=clang CFLAGS='$(FUZZ_FAST)' \
		LDFLAGS=-fsanitize=fuzzer FUZZ_MAIN=
	LONGEST=160 selftests/fuzz/run-fuzz $(B)/libfuzzer-fast $(B)/softpt $(FUZZ_SECONDS) $(FUZZERS_FAST)

OSS_FUZZ_SECONDS ?= 5

.PHONY: oss-fuzz
oss-fuzz: ## the build script for OSS-Fuzz, and each target for some seconds (OSS_FUZZ_SECONDS=5)
	@selftests/guest/vm/setup check
	selftests/fuzz/run-oss-fuzz $(B)/oss-fuzz $(OSS_FUZZ_SECONDS) $(FUZZERS)

.PHONY: fuzz-corpus
fuzz-corpus: ## what `make fuzz` has found, minimised, into selftests/fuzz/corpus
	selftests/fuzz/keep-corpus $(B)/libfuzzer $(FUZZERS)

# For what runs that long: a test's limit is six times as long on a sanitised kernel, and the guest's is behind it
fuzz_guest = selftests/guest/vm/boot -k 6.1-kasan -m "$$(selftests/guest/vm/module 6.1-kasan)" \
	-d $(B)/selftests --timeout $$(($(1) * 6 + 1200))

FUZZ_SEED ?= $(shell date +%s)

.PHONY: fuzz-device
fuzz-device: guest-tests ## the device under a fuzzer that KCOV guides, in QEMU (FUZZ_SECONDS=70 FUZZ_SEED=N)
	$(call fuzz_guest,$(FUZZ_SECONDS)) \
		-t "@$$(($(FUZZ_SECONDS) + 60)) $(B)/selftests/device-fuzz $(FUZZ_SECONDS) $(FUZZ_SEED)"

SOAK_SECONDS ?= 3600

.PHONY: soak
soak: guest-tests ## that, killed and stopped, with CPUs that go and come; then lost memory is looked for (SOAK_SECONDS=3600)
	$(call fuzz_guest,$(SOAK_SECONDS)) --append kmemleak=on \
		-t "@$$(($(SOAK_SECONDS) + 120)) selftests/fuzz/soak $(SOAK_SECONDS) $(FUZZ_SEED)"
