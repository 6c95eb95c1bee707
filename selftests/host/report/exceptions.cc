// SPDX-License-Identifier: BSD-2-Clause
// Exceptions through a function that has something to destroy
#include <stdexcept>

#define APART	__attribute__((noinline, noclone))

static volatile int gone;

APART void count()
{
	gone = gone + 1;
}

struct thing {
	~thing() { count(); }
};

APART int raise_some(int x)
{
	if (x % 3 == 0)
		throw std::runtime_error("x");
	return x;
}

APART int middle(int x)
{
	thing t;

	return raise_some(x) + 1;
}

APART int behind(int x)
{
	asm volatile("");
	return x * 2;
}

// 30 calls, of which 10 end by an exception
APART int catch_all(int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++) {
		try {
			sum += middle(i);
		} catch (const std::exception &e) {
			sum += behind(i);
		}
		sum += behind(i);
	}
	return sum;
}

int main()
{
	return catch_all(30) == 0;
}
