package org.rddp.client.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The caller must use the method's result: it may say that nothing was done, or be the only
 * reference to an object to close. Error Prone and other checkers know the annotation by its simple
 * name, and reject a program that ignores such a result.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface CheckReturnValue {}
