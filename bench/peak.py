"""peak.py COMMAND...: runs a command and prints its seconds and the most memory it had, as JSON.

The system counts memory from before a process becomes another program, so who asks must be small: this script is, the benchmark is not.
"""

import json
import os
import sys
import time

start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - start
if os.waitstatus_to_exitcode(status) != 0:
    sys.exit(f"{sys.argv[1]}: ended with {os.waitstatus_to_exitcode(status)}")
print(json.dumps({"seconds": seconds, "peak_bytes": 1024 * usage.ru_maxrss}))
