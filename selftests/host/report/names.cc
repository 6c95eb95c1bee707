// SPDX-License-Identifier: BSD-2-Clause
// Names that C++ encodes: of a name space, a class, a template, an operator; and two that look the same
#include <string>

#define APART	__attribute__((noinline, noclone))

namespace net {

template<class T> struct queue {
	T sum = T();

	APART void push(T value) { sum = sum + value; }
};

class server {
public:
	APART int handle(int x) { return x * factor; }
	APART int handle(const std::string &text) { return text.size(); }
	APART bool operator<(const server &other) const { return factor < other.factor; }
	int factor = 3;
};

}

int main()
{
	net::server s, t;
	net::queue<long> q;

	for (int i = 0; i < 20; i++)
		q.push(s.handle(i));
	for (int i = 0; i < 5; i++)
		q.push(s.handle("text"));
	return s < t || q.sum != 590;
}
