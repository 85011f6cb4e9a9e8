"""Every option, once: what it is called in each dialect, what it takes, what it means."""
