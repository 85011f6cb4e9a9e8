"""OpenLineage: which pipeline makes which table or topic of which topics."""
