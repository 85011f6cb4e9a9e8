"""The Spark session and what every query needs of it: slots, plans, typed columns."""
