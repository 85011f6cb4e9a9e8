package sluice.changes;

/** The operation of a change event; some events concern no row and are skipped. */
enum Operation { INSERT, UPDATE, DELETE, NONE }
