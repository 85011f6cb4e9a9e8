"""The writers of answers: text for the rows of a table."""
