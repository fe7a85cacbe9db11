/* The sections of android.os.Trace, as libandroid_runtime writes them: through libcutils, which others don't see. */
#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <stdlib.h>

#define TAG_APP (1 << 12)

static uint64_t (*enabled_tags)(void);
static void (*begin_body)(const char *);
static void (*end_body)(void);

JNIEXPORT jint JNI_OnLoad(JavaVM *machine, void *reserved) {
    (void)machine, (void)reserved;
    void *cutils = dlopen(getenv("LIBCUTILS"), RTLD_NOW | RTLD_LOCAL);
    if (!cutils) return JNI_ERR;
    enabled_tags = (uint64_t (*)(void))dlsym(cutils, "atrace_get_enabled_tags");
    begin_body = (void (*)(const char *))dlsym(cutils, "atrace_begin_body");
    end_body = (void (*)(void))dlsym(cutils, "atrace_end_body");
    return enabled_tags && begin_body && end_body ? JNI_VERSION_1_6 : JNI_ERR;
}

JNIEXPORT jboolean JNICALL Java_android_os_Trace_isOn(JNIEnv *env, jclass class) {
    (void)env, (void)class;
    return (enabled_tags() & TAG_APP) != 0;
}

JNIEXPORT void JNICALL Java_android_os_Trace_beginSection(JNIEnv *env, jclass class, jstring name) {
    if (!Java_android_os_Trace_isOn(env, class)) return;
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);
    if (!text) return;
    begin_body(text);
    (*env)->ReleaseStringUTFChars(env, name, text);
}

JNIEXPORT void JNICALL Java_android_os_Trace_endSection(JNIEnv *env, jclass class) {
    if (Java_android_os_Trace_isOn(env, class)) end_body();
}
