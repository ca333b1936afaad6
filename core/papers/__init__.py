"""The experiments of the five papers, run again: what was printed, what comes out, and a verdict.

`catalogue` lists the experiments, `running` runs them, `results` is what they return. Printed
values are in `printed/*.json`; `as_printed` holds what is wrong in print, to show where printed
values come from, and is never offered as a mechanism.
"""
