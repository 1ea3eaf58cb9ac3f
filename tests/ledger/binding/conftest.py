from tests.ledger.binding.bound_shop import sent

__all__ = ["sent"]
