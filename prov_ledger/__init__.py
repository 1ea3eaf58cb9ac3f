"""Evidence outside the model: claims that are resolved against permission, period and facts before use."""
