/** Programs that meet implementations other than our own; the scripts in interop/ run them. */
package org.rddp.interop;
