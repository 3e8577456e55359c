"""Forked workers get on with whatever program they are started in."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no fork without threads there")

BEGINNING = """
import fcntl, os, resource, signal, time
from equipoise.sources.forked import Crew

def all_of(crew, items, *, pause=0):
    found = []
    for item in items:
        while not crew.give(item, ahead=True):
            assert crew.busy
            found += crew.answers()
    time.sleep(pause)
    while crew.busy:
        found += crew.answers()
    return found

def no_child_is_left():
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        return True
"""

PROGRAMS = {
    "two answers that come before the first is taken": """
crew = Crew(lambda item: item, 1)
assert all_of(crew, [1, 2], pause=0.5) == [1, 2]
crew.dismiss()
""",
    "a program that ignores its children": """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
crew = Crew(lambda item: item, 2)
assert sorted(all_of(crew, range(9))) == list(range(9))
crew.dismiss()
crew = Crew(lambda item: os._exit(1), 2)
assert all_of(crew, range(9)) == []
assert sorted(crew.lost) == list(range(9))
crew.dismiss()
""",
    "a program that waits for any child": """
def wait(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
signal.signal(signal.SIGCHLD, wait)
crew = Crew(lambda item: os._exit(1), 2)
assert all_of(crew, range(9)) == []
assert sorted(crew.lost) == list(range(9))
crew.dismiss()
""",
    "workers that are stopped": """
crew = Crew(lambda item: time.sleep(60), 2)
assert crew.give(1, ahead=False) and crew.give(2, ahead=False)
for worker in crew._workers:
    os.kill(worker.pid, signal.SIGSTOP)
crew.dismiss()
assert no_child_is_left()
""",
    "pipes that hold little": """
real = os.pipe
def pipe():
    ends = real()
    fcntl.fcntl(ends[0], fcntl.F_SETPIPE_SZ, 4096)
    return ends
os.pipe = pipe
def answer(item):
    time.sleep(0.1)
    return item * 30
crew = Crew(answer, 2)
items = [bytes([n]) * 10_000 for n in range(9)]
assert sorted(all_of(crew, items)) == [item * 30 for item in items]
assert crew.lost == []
crew.dismiss()
""",
    "a program that a broken pipe ends": """
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
crew = Crew(lambda item: item, 1)
assert all_of(crew, [1]) == [1]
os.kill(crew._workers[0].pid, signal.SIGKILL)
time.sleep(0.2)
assert crew.give(2, ahead=False)
assert crew.lost == [2]
crew.dismiss()
assert no_child_is_left()
""",
    "a program with handlers of its own": """
def handle(number, frame):
    raise ValueError
numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1]
for number in numbers:
    signal.signal(number, handle)
signal.signal(signal.SIGUSR2, signal.SIG_IGN)
signal.set_wakeup_fd(os.open(os.devnull, os.O_WRONLY | os.O_NONBLOCK), warn_on_full_buffer=False)
def found(_):
    return [signal.getsignal(n) for n in numbers], signal.set_wakeup_fd(-1), signal.getsignal(12)
crew = Crew(found, 1)
[[handlers, descriptor, ignored]] = all_of(crew, [1])
assert set(handlers) == {signal.SIG_DFL}
assert descriptor == -1
assert ignored == signal.SIG_IGN
crew.dismiss()
assert signal.getsignal(signal.SIGTERM) is handle
assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
""",
    "a program that may open few files": """
resource.setrlimit(resource.RLIMIT_NOFILE, (40, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
crew = Crew(lambda item: item, 64)
given = 0
while crew.give(given, ahead=False):
    given += 1
assert 1 < given < 13
opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(16)]
found = []
while crew.busy:
    found += crew.answers()
assert sorted(found) == list(range(given))
crew.dismiss()
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_workers_get_on_with(name):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", BEGINNING + PROGRAMS[name]],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
