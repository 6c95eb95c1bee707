// SPDX-License-Identifier: BSD-2-Clause
// A machine with a stack: instructions are objects of classes, and most are of one of two
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

class Machine {
	std::vector<long> stack;
	long faults = 0;

	long fault(const char *what)
	{
		if (++faults > 1000000)
			throw std::runtime_error(what);
		stack.clear();
		return 0;
	}
public:
	void push(long value)
	{
		if (stack.size() >= 64)
			fault("too much");
		stack.push_back(value);
	}
	long pop()
	{
		if (stack.empty())
			return fault("too little");
		const long value = stack.back();
		stack.pop_back();
		return value;
	}
	long top() const { return stack.empty() ? 0 : stack.back(); }
};

class Insn {
public:
	virtual ~Insn() = default;
	virtual void run(Machine &m) const = 0;
};

class Load : public Insn {
	long value;
public:
	explicit Load(long value) : value(value) {}
	void run(Machine &m) const override { m.push(value); }
};

class Add : public Insn {
	long plus;
public:
	explicit Add(long plus) : plus(plus) {}
	void run(Machine &m) const override { m.push(m.pop() + m.pop() + plus); }
};

class Divide : public Insn {
public:
	void run(Machine &m) const override
	{
		const long by = m.pop();

		m.push(by ? m.pop() / by : 0);
	}
};

long execute(Machine &m, const std::vector<std::unique_ptr<Insn>> &code)
{
	for (const auto &insn : code)
		insn->run(m);
	return m.top();
}

}

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? std::atol(argv[1]) : 1;
	std::vector<std::unique_ptr<Insn>> code;
	Machine machine;
	int depth = 0;
	long sum = 0;

	std::srand(1);
	for (int i = 0; i < 4000; i++) {
		const int r = std::rand() % 100;

		if (depth < 2 || (r < 48 && depth < 60)) {
			code.push_back(std::make_unique<Load>(r));
			depth++;
		} else {
			if (r < 98)
				code.push_back(std::make_unique<Add>(i % 7));
			else
				code.push_back(std::make_unique<Divide>());
			depth--;
		}
	}
	for (long i = 0; i < rounds; i++)
		sum += execute(machine, code);
	std::printf("%ld\n", sum);
}
