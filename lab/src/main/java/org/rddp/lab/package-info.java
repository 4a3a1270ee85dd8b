/** The commands {@code rddp simulate} and {@code rddp soak}, which only a source tree has. */
package org.rddp.lab;
