// SPDX-License-Identifier: BSD-2-Clause
/* Sizes and offsets that programs are built with: the same for 32 and 64 bits, and for ever. */
#include "abi.h"

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type " has changed size")
#define AT(type, field, at) \
	_Static_assert(offsetof(struct type, field) == (at), #type "." #field " has moved")

SIZE(softpt_config, 176);
AT(softpt_config, tsc_ebx, 8);
AT(softpt_config, mtc_freq, 16);
AT(softpt_config, mode, 29);
AT(softpt_config, cr3, 32);
AT(softpt_config, ring, 40);
AT(softpt_config, range, 48);
AT(softpt_config, truth, 144);
AT(softpt_config, reserved, 152);
SIZE(softpt_truth, 40);
AT(softpt_truth, bytes, 32);
AT(softpt_truth, flags, 38);
SIZE(softpt_range, 24);
SIZE(softpt_event, 48);
AT(softpt_event, arg, 24);
AT(softpt_event, arg2, 32);
AT(softpt_event, kind, 36);
AT(softpt_event, flags, 42);
AT(softpt_event, reserved, 44);
SIZE(softpt_caps, 64);
AT(softpt_caps, max_ring, 16);
SIZE(softpt_session_args, 8);
SIZE(softpt_synth, 32);
SIZE(softpt_source, 48);
AT(softpt_source, synth, 16);
SIZE(softpt_unit_args, 16);
SIZE(softpt_enable, 16);
SIZE(softpt_attach, 16);
AT(softpt_attach, pid, 8);
SIZE(softpt_counts, 64);
SIZE(softpt_status, 128);
AT(softpt_status, head, 16);
AT(softpt_status, counts, 32);
SIZE(softpt_reader, 16);
AT(softpt_reader, watermark, 8);
SIZE(softpt_control, 376);
AT(softpt_control, data_offset, 16);
AT(softpt_control, head, 32);
AT(softpt_control, counts, 48);
AT(softpt_control, counters, 112);
AT(softpt_control, triggers, 272);
SIZE(softpt_trigger, 64);
AT(softpt_trigger, nth, 16);
AT(softpt_trigger, usr, 40);
AT(softpt_trigger, submask, 50);
AT(softpt_trigger, after, 56);
SIZE(softpt_trigger_page, 104);
AT(softpt_trigger_page, events, 8);
AT(softpt_trigger_page, hits, 40);
SIZE(softpt_escr, 24);
AT(softpt_escr, event_class, 8);
AT(softpt_escr, mask, 10);
AT(softpt_escr, usr, 12);
SIZE(softpt_counter, 24);
AT(softpt_counter, escr, 12);
AT(softpt_counter, preset, 16);
SIZE(softpt_count_args, 40);
AT(softpt_count_args, stop, 8);
AT(softpt_count_args, tsc_preset, 24);
SIZE(softpt_threads, 136);
AT(softpt_threads, tid, 8);
SIZE(softpt_counter_values, 320);
AT(softpt_counter_values, running, 12);
AT(softpt_counter_values, tsc, 24);
AT(softpt_counter_values, value, 32);
AT(softpt_counter_values, overflows, 176);
SIZE(softpt_pipeline, 24);
AT(softpt_pipeline, delay, 8);
AT(softpt_pipeline, after, 20);
SIZE(softpt_retirement, 24);
AT(softpt_retirement, cycles, 8);
AT(softpt_retirement, flags, 20);
SIZE(softpt_freeze, 32);
AT(softpt_freeze, stage, 8);
AT(softpt_freeze, data, 16);
SIZE(softpt_freeze_args, 40);
AT(softpt_freeze_args, counter, 8);
AT(softpt_freeze_args, pipeline, 16);
SIZE(softpt_fifo_args, 56);
AT(softpt_fifo_args, records, 16);
AT(softpt_fifo_args, freeze, 24);
SIZE(softpt_counter_page, 160);
AT(softpt_counter_page, tsc, 8);
AT(softpt_counter_page, value, 16);

struct number {
	const char *name;
	unsigned long is, was;
};

#define NUMBER(cmd, was) { #cmd, cmd, was }

/* The command numbers of version 1, which stay although the structs grow */
void abi_layout(void)
{
	static const struct number numbers[] = {
		NUMBER(SOFTPT_GET_CAPS, 0xc040d600),
		NUMBER(SOFTPT_CREATE_SESSION, 0x4008d601),
		NUMBER(SOFTPT_SET_CONFIG, 0x40b0d610),
		NUMBER(SOFTPT_GET_CONFIG, 0xc0b0d611),
		NUMBER(SOFTPT_SET_SOURCE, 0x4030d612),
		NUMBER(SOFTPT_CREATE_UNIT, 0x4010d613),
		NUMBER(SOFTPT_ENABLE, 0xc010d614),
		NUMBER(SOFTPT_DISABLE, 0xc010d615),
		NUMBER(SOFTPT_ARM_EXEC, 0xd616),
		NUMBER(SOFTPT_ATTACH, 0x4010d617),
		NUMBER(SOFTPT_SET_ESCR, 0x4018d618),
		NUMBER(SOFTPT_SET_COUNTER, 0x4018d619),
		NUMBER(SOFTPT_COUNT, 0xc028d61a),
		NUMBER(SOFTPT_GET_THREADS, 0xc088d61b),
		NUMBER(SOFTPT_SET_FREEZE, 0x4028d61c),
		NUMBER(SOFTPT_REARM_UNITS, 0xd61d),
		NUMBER(SOFTPT_SET_TRIGGER, 0x4040d61e),
		NUMBER(SOFTPT_GET_STATUS, 0xc080d620),
		NUMBER(SOFTPT_PSB, 0xd621),
		NUMBER(SOFTPT_FREEZE, 0xd622),
		NUMBER(SOFTPT_REARM, 0xd623),
		NUMBER(SOFTPT_FINISH, 0xd624),
		NUMBER(SOFTPT_READ_COUNTERS, 0xc140d625),
		NUMBER(SOFTPT_READ_FIFO, 0xc028d626),
		NUMBER(SOFTPT_REARM_FIFO, 0xd627),
		NUMBER(SOFTPT_TRIGGER, 0xd628),
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!kit_ok(numbers[i].is == numbers[i].was, "%s keeps its number",
			    numbers[i].name))
			kit_note("0x%lx, was 0x%lx", numbers[i].is, numbers[i].was);
}
