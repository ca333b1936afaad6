"""The experiments of the five papers, run again: what was published, what comes out, and a verdict.

`catalogue` lists them, `running` runs them, `results` is what they return; `as_printed` holds
mechanisms as the papers print them by mistake; none of them is offered to users.
"""
