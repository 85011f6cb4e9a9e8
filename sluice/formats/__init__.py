"""The formats of messages: how they become rows and rows become them; what answers are."""
