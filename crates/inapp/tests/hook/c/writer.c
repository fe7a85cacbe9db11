/* Calls write() in every way that a library can. It is built in many layouts. */
#include <stddef.h>
#include <sys/types.h>

ssize_t write(int, const void*, size_t);
ssize_t __write_chk(int, const void*, size_t, size_t);

/* Through the procedure linkage table, or with -fno-plt directly through the global offset table. */
ssize_t put(int fd, const void* data, size_t count) { return write(fd, data, count); }

/* Like fortified code on Android. */
ssize_t put_checked(int fd, const void* data, size_t count) { return __write_chk(fd, data, count, count); }

/* Through a pointer in read-only data, which the linker fills in. */
typedef ssize_t (*Write)(int, const void*, size_t);
static Write const volatile constants[] = {write};
ssize_t put_constant(int fd, const void* data, size_t count) { return constants[0](fd, data, count); }

/* Through a pointer in data that the program may change. */
Write variable = write;
ssize_t put_variable(int fd, const void* data, size_t count) { return variable(fd, data, count); }

/* Through a local pointer to the function. */
ssize_t put_taken(int fd, const void* data, size_t count) {
  Write volatile taken = write;
  return taken(fd, data, count);
}

/* Words that point into their own library, for packed tables. */
static int numbers[64];
int* const pointers[] = {numbers, numbers + 1, numbers + 2, numbers + 3, numbers + 40, numbers + 63};
