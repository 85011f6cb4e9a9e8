"""How messages become rows, and rows become answers."""
