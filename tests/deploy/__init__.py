"""What is shipped to run the product elsewhere: held by the tools that read it, and by the product's own parsers."""
