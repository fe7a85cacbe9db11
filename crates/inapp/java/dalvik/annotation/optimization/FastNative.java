package dalvik.annotation.optimization;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Android's own, public since API level 34, for compilers that have no newer SDK: ART goes by the name in the class file,
 * and takes its own class. Other virtual machines ignore it.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface FastNative {}
