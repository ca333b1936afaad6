"""The Confusability page: what a release tells for certain, and how merging hides it."""
