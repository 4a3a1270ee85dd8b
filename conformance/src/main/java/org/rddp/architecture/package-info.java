/** What a module may use, for tests that stand in each module. */
package org.rddp.architecture;
