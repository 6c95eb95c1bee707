// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process that the program and its recorder leave behind: it waits for the file go, fills all
 * its records, starts a thread, a process and a program, and makes the file end.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *run(void *arg)
{
	volatile unsigned long *n = arg;

	while (++*n % 100000000)
		;
	return arg;
}

int main(void)
{
	volatile unsigned long n = 0;
	pthread_t thread;
	int i, status;

	if (fork())
		return 3;
	while (access("go", F_OK))
		usleep(1000);
	run((void *)&n);
	for (i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, run, (void *)&n) || pthread_join(thread, NULL))
			return 1;
	if (!fork())
		_exit(n == 400000000 ? 0 : 1);
	if (wait(&status) < 0 || status || system("exit 5") != 5 << 8)
		return 1;
	return creat("end", 0600) < 0;
}
