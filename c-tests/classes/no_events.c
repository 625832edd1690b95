//@ why: Nothing that another thread could see happens: there is one class, of no events, and
//@      it needs no preemption.
//@ run: --explorer dpor --preemptions 0
//@ verdict: clean
//@ executions: 1
//@ run: --explorer dpor
//@ verdict: clean
//@ executions: 1
int main(void) { return 0; }
