package org.rddp.client.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The result of the method must be used: it says that nothing was done, or it is all that refers to
 * something that has to be closed. Error Prone and other checkers know the annotation by its simple
 * name, and reject a program that ignores such a result.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface CheckReturnValue {}
