package sluice.changes;

/** What a message of a database's changes is about; some are about no row. */
enum Operation { INSERT, UPDATE, DELETE, NONE }
