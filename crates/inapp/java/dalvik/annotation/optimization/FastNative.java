package dalvik.annotation.optimization;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A copy of Android's annotation, which is public since API level 34, for builds with an older SDK. ART recognizes it by its
 * name in the class file and uses its own class. Other virtual machines ignore it.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface FastNative {}
