//@ why: An atomic of 16 bytes is no single access of any machine here, and is refused by line. A
//@      plain struct of this size is copied in pieces.
//@ run: -DQUALIFIER=_Atomic
//@ verdict: unsupported
//@ unsupported: access atomic access of a size
//@ run: -DQUALIFIER=
//@ verdict: clean
struct pair {
    long first, second;
};

QUALIFIER struct pair shared;

int main(void) {
    struct pair value = {1, 2};
    shared = value; // @access
    return 0;
}
