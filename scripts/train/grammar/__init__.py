"""A grammar of simple sentences, English and French side by side."""
