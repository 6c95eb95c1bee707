// SPDX-License-Identifier: GPL-2.0-only
/*
 * leave [STATUS]: end the guest.
 *
 * STATUS goes byte by byte to QEMU's debug console (port 0xe9), where it can't be mistaken for
 * anybody's output; then isa-debug-exit (port 0xf4) makes QEMU exit with 2 * LEAVE_CODE + 1. Any
 * other exit code means that the guest died. Bochs has no such port, and tells of a guest that
 * switches itself off.
 * As /init it is the whole user space of a guest that only has to boot.
 */
#include <stdio.h>
#include <sys/io.h>
#include <sys/reboot.h>
#include <termios.h>
#include <unistd.h>

#define PORT_STATUS	0xe9
#define PORT_EXIT	0xf4
#define LEAVE_CODE	0x10

int main(int argc, char **argv)
{
	const char *status = argc > 1 ? argv[1] : "0";

	tcdrain(STDOUT_FILENO);
	if (iopl(3)) {
		perror("iopl");
		return 1;
	}
	while (*status)
		outb(*status++, PORT_STATUS);
	outl(LEAVE_CODE, PORT_EXIT);
	reboot(RB_POWER_OFF);	/* another emulator */
	return 1;
}
