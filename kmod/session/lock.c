// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's lock, and what is owed to the session.
 *
 * Some things have to be done under the lock by those who must not wait for it: who closes a
 * descriptor, who comes from an interrupt. They say what is owed. If the lock is free they take
 * it and do that themselves; else the holder does, before anybody else gets to work with it.
 * So what one caller does holds up no other's close(), and no work waits in a queue for a lock.
 */

#include <linux/llist.h>
#include <linux/mutex.h>

#include "queue.h"
#include "session/lock.h"

static bool is_owed(const struct softpt_session *session)
{
	return READ_ONCE(session->owed) || !llist_empty(&session->leaving);
}

/**
 * softpt_session_lock() - take the session's lock
 * @session: referenced until softpt_session_unlock() has returned
 *
 * All that was owed before is done.
 */
void softpt_session_lock(struct softpt_session *session)
{
	mutex_lock(&session->lock);
	session->pay(session);
}

/**
 * softpt_session_lock_killable() - the same, unless the caller is killed
 * @session: as above
 *
 * Return: 0, or -EINTR without the lock.
 */
int softpt_session_lock_killable(struct softpt_session *session)
{
	if (mutex_lock_killable(&session->lock))
		return -EINTR;
	session->pay(session);
	return 0;
}

/* Pay, unless somebody has the lock, and so will. */
static void try_to_pay(struct softpt_session *session)
{
	/* What is owed before the look at the lock: pairs with that behind each unlock */
	smp_mb();
	while (is_owed(session) && mutex_trylock(&session->lock)) {
		session->pay(session);
		mutex_unlock(&session->lock);
		smp_mb();	/* the lock is free before the look at what is owed */
	}
}

void softpt_session_unlock(struct softpt_session *session)
{
	mutex_unlock(&session->lock);
	try_to_pay(session);
}

/**
 * softpt_session_owe() - have something done under the lock, and don't wait for that
 * @session: alive, perhaps until this is done
 * @what: it
 *
 * Context: may sleep.
 */
void softpt_session_owe(struct softpt_session *session, enum softpt_owed what)
{
	kref_get(&session->ref);
	set_bit(what, &session->owed);
	try_to_pay(session);
	softpt_session_put(session);
}

/**
 * softpt_session_owe_unit() - have a unit removed, and don't wait for that
 * @unit: nobody has it any more
 *
 * Context: may sleep.
 */
void softpt_session_owe_unit(struct softpt_unit *unit)
{
	struct softpt_session *session = unit->session;

	kref_get(&session->ref);
	llist_add(&unit->leaving, &session->leaving);
	try_to_pay(session);
	softpt_session_put(session);
}

static void pay_later(struct work_struct *work)
{
	struct softpt_session *session = container_of(work, struct softpt_session, later);

	try_to_pay(session);
	softpt_session_put(session);
}

/**
 * softpt_session_owe_later() - softpt_session_owe() for who may not sleep
 * @session: alive
 * @what: it
 *
 * Context: any but NMI.
 */
void softpt_session_owe_later(struct softpt_session *session, enum softpt_owed what)
{
	set_bit(what, &session->owed);
	kref_get(&session->ref);
	if (!queue_work(softpt_queue, &session->later))
		softpt_session_put(session);	/* not the last: the work has one */
}

void softpt_session_lock_init(struct softpt_session *session)
{
	mutex_init(&session->lock);
	init_llist_head(&session->leaving);
	INIT_WORK(&session->later, pay_later);
}
