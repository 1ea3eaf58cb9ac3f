"""The ledger that the tests about access ask."""

from small_shop import new_shop, shop

__all__ = ["new_shop", "shop"]
