"""What the dialects share: tokens and places, Spark SQL as a tree, types that are not known."""
