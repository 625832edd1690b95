//@ why: Nobody can tell which memory unknown assembly reads or writes, so what it does must be
//@      named as unsupported, with its line, where it is reached, and only there. The template is
//@      shown as the program writes it, so that it can stand in a file of templates.
//@ run: -DREACHED=1
//@ verdict: unsupported
//@ unsupported: assembly inline assembly `pushfq; popq %q0`
//@ run: -DREACHED=0
//@ verdict: clean
volatile int reached = REACHED;

int main(void) {
    unsigned any = 0;
    if (reached)
        __asm__ volatile("pushfq; popq %q0" : "=r"(any)); // @assembly
    return any == 1;
}
