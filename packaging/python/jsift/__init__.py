"""The command jsift, as `python -m jsift`. The wheel has no other Python code: run the program, or read its output."""
