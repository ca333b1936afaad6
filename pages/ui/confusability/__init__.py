"""The Confusability page: what a release reveals for certain, and how merging hides it."""
