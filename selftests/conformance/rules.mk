# SPDX-License-Identifier: BSD-2-Clause
# Streams with what is in them, for any decoder

# libipt's opinion, for the tests that ask it
$(B)/ipt-oracle: $(addprefix $(B)/obj/selftests/host/oracle/,ipt-oracle.o ipt-path.o)
	$(link)
$(B)/ipt-oracle: LIBS := -lipt

CONFORMANCE := $(if $(HAVE_LIBIPT),$(B)/ipt-oracle)

.PHONY: corpus
corpus: userspace ## the conformance corpus, for any decoder of the packets: build/corpus
	$(Q)selftests/conformance/make-corpus --softpt $(B)/softpt $(B)/corpus

.PHONY: score
score: corpus $(CONFORMANCE) ## softpt, libipt and perf by that corpus: the table of Documentation/quality/conformance.rst
	$(Q)selftests/conformance/score --details --softpt $(B)/softpt --corpus $(B)/corpus || [ $$? = 1 ]
