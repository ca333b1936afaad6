"""A pool whose work is done when a test says so: no outcome depends on a worker or a clock."""

from core.jobs.job import Job, carry_out


class HeldPool:
    """Takes work like a `Pool`, and holds it until `finish` or `fail`."""

    def __init__(self):
        self.taken = []

    def submit(self, function, *arguments, time_limit, **_whose):
        job = Job(time_limit)
        job.start(lambda: None)
        self.taken.append((job, function, arguments))
        return job

    @property
    def open(self):
        """The work that has not ended."""
        return [item for item in self.taken if not item[0].finished]

    def finish(self, which=0):
        """Do a piece of the open work."""
        job, function, arguments = self.open[which]
        job.succeed(carry_out(function, arguments, job.note))

    def finish_all(self):
        while self.open:
            self.finish()

    def fail(self, error, which=0):
        self.open[which][0].fail(error)


class HeldWorkers:
    """Workers that pass urgent and other work to two pools, each of which may hold it."""

    elsewhere = None

    def __init__(self, workers):
        self.urgent = self.general = self.workers = workers
        self.size = workers.size

    def submit(self, function, *arguments, urgent=False, **more):
        pool = self.urgent if urgent else self.general
        return pool.submit(function, *arguments, urgent=urgent, **more)

    def ahead(self, job):
        return self.workers.ahead(job)
