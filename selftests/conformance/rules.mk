# SPDX-License-Identifier: BSD-2-Clause
# Streams with what is in them, for any decoder

.PHONY: corpus
corpus: userspace ## the conformance corpus, for any decoder of the packets: build/corpus
	$(Q)selftests/conformance/make-corpus --softpt $(B)/softpt $(B)/corpus
