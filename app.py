"""Liftscope: page config and navigation, nothing else."""

from pages.ui import site

site.navigation().run()
