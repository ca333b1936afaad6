"""The Confusability page: who can be told apart for certain, and clustering."""
