"""Try the library on random questions for as long as one likes: `make fuzz MINUTES=10`.

Case i of a seed is the same wherever and whenever it is tried, so a failure is found again by
`python -m tests.fuzz --seed SEED --case I`.
"""

import argparse
import multiprocessing
import secrets
import sys

from tests.fuzz.campaign import Campaign, tried


def main():
    """Read the command line, try cases, report."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, help="drawn at random where not given")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--case", type=int, help="try this case of the seed only")
    request = parser.parse_args()
    campaign = Campaign(secrets.randbelow(10**6) if request.seed is None else request.seed)
    print(f"seed {campaign.seed}", flush=True)
    if request.case is None:
        campaign.run(request.minutes, request.jobs)
    else:
        campaign.add(*tried(campaign.seed, request.case))
    return campaign.report()


if __name__ == "__main__":
    sys.exit(main())
