package org.rddp.architecture;

class ModuleBoundariesTest extends ModuleBoundaries {}
