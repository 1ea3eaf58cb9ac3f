"""Finding texts by their words: splitting, stemming, scoring. Pure; texts are handed in."""
