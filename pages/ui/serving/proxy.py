"""The settings of nginx in front of several servers: sticky by cookie, checked, bounded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core import validation

COOKIE = "liftscope_replica"
"""The cookie that says which server holds a browser's sessions."""

UPLOAD = 200
"""Megabytes that a body may have: as `.streamlit/config.toml` says."""

FAILS, PAUSE = 1, 2
"""Failed connections after which a server gets no new ones, and for how many seconds."""

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
    """Return the settings of nginx for servers on 127.0.0.1.

    A browser stays with one server, which holds its sessions. Where that server does not answer,
    another takes its visits until it does.

    Parameters
    ----------
    ports : sequence of int
        Of the servers, at least one.
    port : int
        That nginx listens on.
    folder : Path
        Where it keeps bodies and its process id; its name has no blanks, quotes or semicolons.
    address : str
        That it listens on.
    user : str
        Whom its processes run as, where it is started by the superuser; "" leaves them as they are.

    Raises
    ------
    InvalidInputError
        If a port is not in [1, 65535].

    Examples
    --------
    >>> text = configuration([9001, 9002], port=8501, folder=Path("/run/liftscope"))
    >>> "server 127.0.0.1:9002 backup;" in text, "listen 127.0.0.1:8501;" in text
    (True, True)
    """
    for one in (*ports, port):
        validation.whole(one, "port", low=1, high=65_535)
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
        upload=UPLOAD,
    )


def _upstream(name: str, own: int, others: Sequence[int]) -> str:
    lines = [f"    server 127.0.0.1:{own} max_fails={FAILS} fail_timeout={PAUSE}s;"]
    lines += [f"    server 127.0.0.1:{other} backup;" for other in others]
    return "\n".join([f"  upstream {name} {{", *lines, "  }"])
