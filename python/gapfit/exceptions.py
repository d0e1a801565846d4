"""Warnings of gapfit.

Errors are those that scikit-learn's users expect: ``ValueError`` for a value, ``TypeError`` for a type,
``OSError`` for a file; their text says what was expected and what was given.
"""


class DataWarning(UserWarning):
    """Something about the data that a user should know, such as a column without a number."""
