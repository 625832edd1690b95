int fake_main(int count, char **arguments);

int main(int count, char **arguments) { return fake_main(count, arguments); }
