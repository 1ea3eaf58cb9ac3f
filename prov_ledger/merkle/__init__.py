"""The Merkle tree over journal leaves (RFC 6962)."""
