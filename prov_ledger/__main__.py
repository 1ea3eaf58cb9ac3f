"""``python -m prov_ledger`` is the command ``prov-ledger``."""

from prov_ledger.cli.start import main

if __name__ == "__main__":
    main()
