"""Erasing: the plan with its hash, the run that finishes wherever it was killed, the certificate."""
