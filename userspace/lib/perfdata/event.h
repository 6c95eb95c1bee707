/* SPDX-License-Identifier: BSD-2-Clause */
/* The Intel PT event of a perf.data file: what its attributes and AUXTRACE_INFO say of a trace */
#ifndef SOFTPT_PERFDATA_EVENT_H
#define SOFTPT_PERFDATA_EVENT_H

#include "perfdata/file.h"

struct perffile_attr perfevent_attr(const struct softpt_perf_setup *setup);
struct perffile_info perfevent_info(const struct softpt_perf_setup *setup);

/**
 * perfevent_config() - the configuration of a trace, as far as a file has it
 * @cfg: filled in whole
 * @config: of the event's attributes
 * @info: struct perffile_info.value
 */
void perfevent_config(struct softpt_config *cfg, uint64_t config, const uint64_t info[INFO_NR]);

#endif /* SOFTPT_PERFDATA_EVENT_H */
