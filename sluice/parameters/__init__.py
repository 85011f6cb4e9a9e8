"""What an option is: the kinds of values it takes, its default, its status; secrets."""
