"""The Learn page: lessons with worked examples, exercises for a class, the glossary."""
