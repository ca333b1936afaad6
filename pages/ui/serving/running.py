"""Servers and the nginx in front of them: sticky by cookie, started, checked, ended together."""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from core import validation
from core.data import folders
from core.errors import InvalidInputError, SolverError
from core.limits import MAX_UPLOAD_MB
from core.stored import VARIABLE
from pages.ui.command import application

COOKIE = "liftscope_replica"
"""The cookie that says which server holds a browser's sessions."""

CONFIGURATION = """\
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log stderr warn;
{user}
events {{ worker_connections 4096; }}

http {{
  access_log off;
  server_tokens off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;

  map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
  map $http_x_forwarded_proto $scheme_before {{ default $http_x_forwarded_proto; '' $scheme; }}

  # a browser without the cookie gets any server, and the cookie of that one
  split_clients "$remote_addr $remote_port $msec" $any {{
{shares}
  }}
  map $cookie_{cookie} $replica {{
    default $any;
{known}
  }}
  map $cookie_{cookie} $kept {{
    default "{cookie}=$replica; Path=/; HttpOnly; SameSite=Lax";
{silent}
  }}

{upstreams}
  server {{
    listen {address}:{port};
    client_max_body_size {upload}m;
    add_header Set-Cookie $kept;

    location / {{
      proxy_pass http://$replica;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme_before;
      proxy_next_upstream error timeout http_502 http_503;
      proxy_connect_timeout 2s;
      proxy_read_timeout 1h;
      proxy_send_timeout 1h;
      proxy_buffering off;
    }}
  }}
}}
"""


def configuration(
    ports: Sequence[int], *, port: int, folder: Path, address: str = "127.0.0.1", user: str = ""
) -> str:
    """Return nginx's settings for servers on 127.0.0.1; a browser stays with one that answers."""
    for value in (*ports, port):
        validation.whole(value, "port", low=1, high=65_535)
    names = [f"replica{number}" for number in range(1, len(ports) + 1)]
    share = 100 / len(ports)
    shares = [f"    {share:.2f}% {name};" for name in names[:-1]] + [f"    * {names[-1]};"]
    return CONFIGURATION.format(
        folder=folder,
        user=f"user {user};" if user else "",
        shares="\n".join(shares),
        known="\n".join(f"    {name} {name};" for name in names),
        silent="\n".join(f'    {name} "";' for name in names),
        upstreams="\n".join(
            _upstream(name, own, [other for other in ports if other != own])
            for name, own in zip(names, ports, strict=True)
        ),
        cookie=COOKIE,
        address=address,
        port=port,
        upload=MAX_UPLOAD_MB,
    )


def _upstream(name: str, own: int, others: Sequence[int]) -> str:
    # after a failed connection a server gets no new ones for two seconds
    lines = [f"    server 127.0.0.1:{own} max_fails=1 fail_timeout=2s;"]
    lines += [f"    server 127.0.0.1:{other} backup;" for other in others]
    return "\n".join([f"  upstream {name} {{", *lines, "  }"])


LOOK = 2.0
"""Seconds between two looks at the servers."""

ANSWER = 20.0
"""Seconds in which a server must answer that it is there."""

MISSES = 3
"""Looks in a row without an answer after which a server that runs is replaced."""

BEGINNING = 300.0
"""Seconds that a server may take until its first answer."""


SECRET = "STREAMLIT_SERVER_COOKIE_SECRET"
"""The environment's name of what signs cookies: all servers have the same."""


class Replica:
    """One server of the dashboard, on a port of its own."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.starts = 0
        self._misses = 0
        self._answered = False
        self._waited = 0.0
        self.process: subprocess.Popen[bytes] = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts += 1
        self._misses, self._answered, self._waited = 0, False, 0.0
        server = application()
        options = {
            "server.port": self.port,
            "server.address": "127.0.0.1",
            "server.headless": "true",
        }
        command = [sys.executable, "-m", "streamlit", "run", str(server)]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        return subprocess.Popen(
            command,
            cwd=server.parent,
            stdout=subprocess.DEVNULL,
            preexec_fn=partial(_end_with_this, os.getpid()),
        )

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}/_stcore/health", timeout=ANSWER
            ):
                return True
        except OSError:
            return False

    def look(self) -> bool:
        """Replace the server if it has ended or hangs; return whether it answered."""
        if self.process.poll() is not None:
            self.process = self._start()
            return False
        if self.answers():
            self._misses, self._answered = 0, True
            return True
        self._waited += LOOK
        self._misses += 1
        hangs = self._answered and self._misses >= MISSES
        if hangs or (not self._answered and self._waited > BEGINNING):
            self.process.kill()
            self.process.wait()
            self.process = self._start()
        return False


class Replicas:
    """Servers behind nginx that share answers in `core.stored.VARIABLE`'s folder or their own."""

    def __init__(
        self, number: int, port: int, address: str = "127.0.0.1", user: str | None = None
    ) -> None:
        validation.whole(number, "replicas", low=1, high=64)
        program = nginx()
        os.environ.setdefault(SECRET, secrets.token_hex(32))
        self.port = port
        # named after this process: where it is killed, the next server removes it
        self._folder = Path(tempfile.mkdtemp(prefix=folders.prefix()))
        self._store = os.environ.get(VARIABLE)
        if self._store is None:
            os.environ[VARIABLE] = str(self._folder / "answers")
        self.replicas = [Replica(free) for free in free_ports(number)]
        settings = self._folder / "nginx.conf"
        runs_as = ("root" if os.getuid() == 0 else "") if user is None else user
        settings.write_text(
            configuration(
                [replica.port for replica in self.replicas],
                port=port,
                folder=self._folder,
                address=address,
                user=runs_as,
            ),
            encoding="utf-8",
        )
        self.proxy = subprocess.Popen(
            [program, "-p", str(self._folder), "-e", "stderr", "-c", str(settings)],
            start_new_session=True,
        )
        self._guard = guard(self.proxy)

    def __enter__(self) -> Replicas:
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes, the proxy first, and remove its folder."""
        ends = [self.proxy, *(replica.process for replica in self.replicas)]
        for process in ends:
            process.terminate()
        for process in ends:
            try:
                process.wait(timeout=ANSWER)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        with self._guard:  # closes its pipe: a worker of nginx may have outlived its master
            pass
        if self._store is None:
            os.environ.pop(VARIABLE, None)
        shutil.rmtree(self._folder, ignore_errors=True)

    def watch(self, ended: threading.Event, report: Callable[[str], None]) -> None:
        """Replace servers that end or hang, until an event is set."""
        while not ended.wait(LOOK):
            if self.proxy.poll() is not None:
                raise SolverError(f"nginx has ended, with status {self.proxy.returncode}.")
            for number, replica in enumerate(self.replicas, 1):
                before = replica.starts
                replica.look()
                if replica.starts > before:
                    report(f"Server {number} stopped or did not answer; another replaces it.")


def guard(leader: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    """Return a process that ends another one's whole group when this process ends, however.

    It waits for the end of its input: a signal at a parent's death reaches nginx's first process
    alone.
    """
    script = 'read -r gone; kill -s KILL -- "-$1"'
    return subprocess.Popen(
        ["/bin/sh", "-c", script, "guard", str(leader.pid)],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end_with_this(parent: int) -> None:
    """Make the calling process end when its parent does, however that ends; on Linux."""
    if sys.platform == "linux":
        # PR_SET_PDEATHSIG: Linux sends a process this signal when its parent ends
        ctypes.CDLL(None).prctl(1, int(signal.SIGTERM))
        if os.getppid() != parent:
            os._exit(0)


def nginx() -> str:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        raise InvalidInputError("Several servers need nginx, which is not installed.")
    return program


def free_ports(number: int) -> list[int]:
    """Return ports of 127.0.0.1 that nothing listens on."""
    sockets = [socket.socket() for _ in range(number)]
    try:
        for listener in sockets:
            listener.bind(("127.0.0.1", 0))
        return [int(listener.getsockname()[1]) for listener in sockets]
    finally:
        for listener in sockets:
            listener.close()


def ending() -> threading.Event:
    """Return an event that Ctrl-C, or a signal that asks the process to end, sets."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    return ended
