/* Loads libraries and looks up functions in them, like a library of the platform. */
#include <dlfcn.h>

void* load(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
void* find(void* library, const char* name) { return dlsym(library, name); }
int unload(void* library) { return dlclose(library); }
