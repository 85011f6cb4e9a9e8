"""Front ends: the text of a dialect becomes statements that say what they mean."""
