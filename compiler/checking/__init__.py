"""Does a pass keep what a program computes? Programs of any form are run before and after each pass and compared."""
