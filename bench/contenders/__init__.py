"""What is measured: each module is run as a process of its own, one after the other."""
