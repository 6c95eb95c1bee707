# SPDX-License-Identifier: BSD-2-Clause
# Tests of the module, in QEMU

.PHONY: step-tests
step-tests: userspace
	$(MAKE) -s -C selftests/guest step

# gdb without Python, which the guest has not: unpacked, for to install it removes another gdb
$(B)/selftests/gdb:
	$(call say,GET)
	$(Q)mkdir -p $(B)/gdb $(@D) && cd $(B)/gdb && apt-get -qq download gdb-minimal 2>/dev/null && \
		dpkg -x gdb-minimal_*.deb . && cp usr/bin/gdb ../selftests/ || \
		echo 'gdb-minimal cannot be downloaded: its test is skipped'

.PHONY: guest-tests
guest-tests: userspace $(B)/selftests/gdb
	$(MAKE) -s -C selftests/guest
	$(Q)selftests/kselftest/build $(B)

# The slowest first: there are as many guests at a time as there are CPUs.
GUESTS ?= 6.1-kasan 6.12

.PHONY: check-guest
check-guest: guest-tests ## device, step and record tests in QEMU (GUESTS="6.1-kasan 6.12"; 6.1:all for all of one kernel)
	selftests/guest/vm/run $(GUESTS)

# All kernels that selftests/guest/vm/kernel knows, and a few tests that take a minute on each
MATRIX ?= 6.1 6.12 newest sid 6.1-rt 6.12-rt 6.12-rt-debug 6.1-kasan 6.1-kcsan
MATRIX_TESTS ?= /abi$$|device-(synth|reader|snapshot|sessions)$$|step tf$$

.PHONY: matrix
matrix: guest-tests ## a table of kernels: does the module build, without warnings, do tests pass (MATRIX="6.1 sid:all", MATRIX_TESTS=REGEX)
	selftests/guest/vm/matrix -g '$(MATRIX_TESTS)' $(MATRIX)

IDLE_SECONDS ?= 60
IDLE_MTC_FREQ ?= 3 6 9

.PHONY: idle
idle: userspace ## a minute of an idle guest with 4 CPUs: what suppression saves, against ftrace's times
	selftests/guest/vm/boot -s 4 --mem 2048 -m "$$(selftests/guest/vm/module 6.1)" -f $(B)/softpt \
		-d selftests/guest/record -t '@1200 selftests/guest/record/idle $(IDLE_SECONDS) $(IDLE_MTC_FREQ)'

.PHONY: demo
demo: ## record a real program in QEMU, print its path (PROG='gzip -k FILE', HOST=1: here)
	@HOST=$(HOST) selftests/guest/demo/demo $(PROG)
