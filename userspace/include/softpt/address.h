/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libsoftpt: event addresses. From the records of retired instructions that an event
 * froze, the instruction that was at a stage of the pipeline when the event happened.
 *
 * An answer is right, or there is none: what the records do not prove is not guessed.
 */
#ifndef SOFTPT_LIB_ADDRESS_H
#define SOFTPT_LIB_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/retire.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Whether an address is known (0), or why not: X(ID, text) */
#define SOFTPT_ADDRESS_STATUSES(X) \
	X(KNOWN, "known") \
	X(NOT_FROZEN, "no event has frozen the records") \
	X(NO_STAGE, "the pipeline has no such stage") \
	X(EARLY, "the records were frozen before the delays were over") \
	X(NOT_WRITTEN, "the records end before the event: " \
		"the write delay is longer than the others") \
	X(TOO_OLD, "no record is as old as the event: " \
		"the programmed delay is too long, or the input begins too late") \
	X(NOT_RETIRED, "the instruction had not retired when the records froze: " \
		"the programmed delay is too short") \
	X(FLUSHED, "the pipeline was flushed") \
	X(INVALID, "a record holds no valid address") \
	X(GROUP, "several instructions retired in one clock") \
	X(SQUASHED, "an instruction may have left the pipeline without retiring") \
	X(BUBBLE, "a clock retired nothing, " \
		"and the event did not say how many later stages were occupied") \
	X(CONTRADICTION, "the records do not fit the stages that were occupied") \
	X(UNTOLD, "how many instructions the event's stage and those behind it hold is not told, " \
		"and the event did not say how many were ahead") \
	X(SHARED, "the event's stage holds several instructions, " \
		"and the event did not say how many were ahead") \
	X(PARTLY, "the stages behind the event's may have held fewer than they can, " \
		"and the event did not say how many were ahead")

enum softpt_address_status {
#define X(id, text) SOFTPT_ADDRESS_##id,
	SOFTPT_ADDRESS_STATUSES(X)
#undef X
	SOFTPT_ADDRESS_NR
};

/**
 * struct softpt_frozen - records that an event froze, with what explains them
 * @pipeline: whose instructions retired; depth and after are not looked at
 * @freeze: the event
 * @record: the oldest first
 * @n: how many; 0: nothing was frozen
 * @capacity: for each stage, the first at [0], how many instructions it holds at most, with the
 *     buffer behind it; 0: not told. NULL: not told of any
 */
struct softpt_frozen {
	struct softpt_pipeline pipeline;
	struct softpt_freeze freeze;
	const struct softpt_retirement *record;
	size_t n;
	const uint32_t *capacity;
};

/**
 * struct softpt_address - the answer
 * @ip: the instruction's address, 0 where it is not known
 * @events: how many events had been counted when this one froze the records
 * @status: enum softpt_address_status: whether @ip is valid
 * @record: index of the record that holds the address, or of the one that is the reason
 *     for not knowing it; -1 where it is none of them
 * @available: for how many of the events there were records, up to this one
 * @data: address of the data that the instruction accessed, where @data_known
 * @data_known: whether @ip is valid, and the event was of this stage and said @data
 */
struct softpt_address {
	uint64_t ip;
	uint64_t events;
	int status;
	long record;
	uint64_t available;
	uint64_t data;
	bool data_known;
};

/**
 * softpt_address_find() - the instruction that was at a stage when the event happened
 * @frozen: the records
 * @stage: 1 is the first
 * @address: filled in whole
 *
 * Goes back in cycles from the last record to what retired when the event happened, then
 * forward in retirements. The event may hold, for its own stage, how many instructions were
 * ahead. Without that the answer takes a stage that holds one instruction, later ones whose
 * capacity is known, and as many retirements as prove that they were full: where each holds
 * one, a retirement in each clock from the event's on.
 *
 * Return: @address->status, 0 when the address is known.
 */
int softpt_address_find(const struct softpt_frozen *frozen, unsigned int stage,
			struct softpt_address *address);

/**
 * softpt_address_reason() - why an address is not known
 * @status: of struct softpt_address
 *
 * Return: text without a newline; never NULL.
 */
const char *softpt_address_reason(int status);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* SOFTPT_LIB_ADDRESS_H */
