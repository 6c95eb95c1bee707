// SPDX-License-Identifier: BSD-2-Clause
/* Code that no file holds, in perf.data: what was at an address, and from when on */
#include <errno.h>
#include <string.h>

#include <softpt/perf.h>

/* A PERF_RECORD_TEXT_POKE before its bytes, without header */
struct head {
	uint64_t addr;
	uint16_t old_len;
	uint16_t new_len;
} __attribute__((packed));

int softpt_perf_writer_code(struct softpt_perf_writer *w, const struct softpt_perf_code *code,
			    uint32_t tid, uint64_t time)
{
	const struct head head = { .addr = code->addr, .new_len = (uint16_t)code->len };
	const struct softpt_perf_id id = {
		.pid = code->pid, .tid = tid, .time = time, .cpu = UINT32_MAX,
	};
	struct {
		struct perf_event_header header;
		uint8_t body[sizeof(head) + SOFTPT_PERF_CODE_MAX + 8 + sizeof(id)];
	} rec = { .header = { .type = PERF_RECORD_TEXT_POKE, .misc = PERF_RECORD_MISC_USER } };
	size_t at = (sizeof(head) + code->len + 7) & ~(size_t)7;

	if (code->len > SOFTPT_PERF_CODE_MAX)
		return -EINVAL;
	memcpy(rec.body, &head, sizeof(head));
	memcpy(rec.body + sizeof(head), code->bytes, code->len);
	memcpy(rec.body + at, &id, sizeof(id));
	rec.header.size = (uint16_t)(sizeof(rec.header) + at + sizeof(id));
	return softpt_perf_writer_record(w, &rec.header);
}

bool softpt_perf_code_of(const struct softpt_perf_record *rec, struct softpt_perf_code *code)
{
	const uint8_t *body = rec->body;
	struct head head;

	if (rec->type != PERF_RECORD_TEXT_POKE || rec->size < sizeof(head) ||
	    (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return false;
	memcpy(&head, body, sizeof(head));
	if (sizeof(head) + head.old_len + head.new_len > rec->size ||
	    head.new_len > SOFTPT_PERF_CODE_MAX)
		return false;
	*code = (struct softpt_perf_code){
		.addr = head.addr, .pid = rec->id.pid, .len = head.new_len,
		.bytes = body + sizeof(head) + head.old_len,
	};
	return true;
}
