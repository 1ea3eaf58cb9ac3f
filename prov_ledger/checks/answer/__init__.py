"""The gate in front of the reader: what an answer says, held against what its markers may show."""
