"""Liftscope: page config and navigation, nothing else."""

from pages.ui.frame import site

site.navigation().run()
