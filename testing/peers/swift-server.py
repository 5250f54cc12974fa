"""OpenStack Swift with its S3 interface, all four servers in one process: swift-server.py FOLDER PORT

Its data stays in FOLDER. Swift's own programs read /etc/swift, which only root can write.
"""

import gc
import logging
import os
import sys
import time

# Half of the time that starting takes: a resolver of names, which is not needed, and all of setuptools.
os.environ["EVENTLET_NO_GREENDNS"] = "yes"
sys.meta_path = [finder for finder in sys.meta_path if type(finder).__name__ != "DistutilsMetaFinder"]

import eventlet  # noqa: E402
import eventlet.wsgi  # noqa: E402

# Before Swift's imports, unlike Swift: every lock that already exists costs seconds.
eventlet.monkey_patch(all=False, socket=True, select=True, thread=True)
logging.logThreads = False

from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.http_protocol import SwiftHttpProtocol  # noqa: E402
from swift.common.wsgi import RestrictedGreenPool, loadapp  # noqa: E402

# Tests kill the process and never the machine, so the disk need not be waited for.
os.fsync = os.fdatasync = lambda file: None

os.environ["TZ"] = "UTC+0"
time.tzset()

folder, port = sys.argv[1], int(sys.argv[2])
settings = os.path.join(folder, "settings")
devices = os.path.join(folder, "devices")
address = "127.0.0.1"

common = f"""
[DEFAULT]
swift_dir = {settings}
devices = {devices}
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
log_level = ERROR
log_requests = false
log_address = {settings}/no-log
"""

storage = """
[pipeline:main]
pipeline = server
[app:server]
use = egg:swift#{name}
"""

proxy = """
[pipeline:main]
pipeline = catch_errors s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
user_test_stranger = unknown
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


def write(name, text):
    with open(os.path.join(settings, name), "w") as file:
        file.write(text)


os.makedirs(settings, exist_ok=True)
os.makedirs(os.path.join(devices, "d1"), exist_ok=True)
write(
    "swift.conf",
    """
[swift-hash]
swift_hash_path_prefix = masthead
swift_hash_path_suffix = tests
[storage-policy:0]
name = only
default = yes
""",
)
utils.set_swift_dir(settings)

sockets = {}
for name in ("account", "container", "object"):
    sockets[name] = eventlet.listen((address, 0))
    builder = RingBuilder(4, 1, 1)
    device = {"region": 1, "zone": 1, "device": "d1", "weight": 1, "meta": ""}
    at = {"ip": address, "port": sockets[name].getsockname()[1]}
    replication = {f"replication_{key}": value for key, value in at.items()}
    builder.add_dev({**device, **at, **replication})
    builder.rebalance()
    builder.get_ring().save(os.path.join(settings, f"{name}.ring.gz"))
    write(f"{name}.conf", common + storage.format(name=name))
write("proxy.conf", common + proxy)


apps = {name: loadapp(os.path.join(settings, f"{name}.conf"), {"log_name": name}) for name in [*sockets, "proxy"]}
# Last, so that every connection that is accepted gets an answer.
sockets["proxy"] = eventlet.listen((address, port))


class Cache:
    """What memcached does for Swift. Without it, every request looks up its account and bucket again."""

    def __init__(self):
        self.values = {}

    def get(self, key, *_, **__):
        value, until = self.values.get(key, (None, 0))
        return value if until == 0 or until > time.time() else None

    def set(self, key, value, serialize=True, time=0, **_):
        self.values[key] = (value, until(time))

    def delete(self, key, *_, **__):
        self.values.pop(key, None)


def until(seconds):
    return time.time() + seconds if seconds > 0 else 0


def with_cache(app):
    cache = Cache()

    def run(environment, start_response):
        environment["swift.cache"] = cache
        return app(environment, start_response)

    return run


apps["proxy"] = with_cache(apps["proxy"])


def serve(name):
    eventlet.wsgi.server(
        sockets[name],
        apps[name],
        log=utils.NullLogger(),
        log_output=False,
        custom_pool=RestrictedGreenPool(size=1024),
        protocol=SwiftHttpProtocol,
    )


# Every request makes much garbage, of which hardly anything is in cycles.
gc.collect()
gc.freeze()
gc.set_threshold(100_000, 100, 100)

for server in [eventlet.spawn(serve, name) for name in apps]:
    server.wait()
