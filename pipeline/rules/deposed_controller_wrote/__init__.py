"""The rule deposed_controller_wrote: what it finds, its proof, its page and its cases."""
