"""A browser without a window, told what to do through the pipe of its DevTools protocol."""
import base64
import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress

FLAGS = ("--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--disable-background-networking", "--no-first-run", "--disable-dev-shm-usage", "--remote-debugging-pipe",
         "--window-size=900,640")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PAST = b"\0"   # ends each message
LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(word), fcntl.F_DUPFD, 10) for word in sys.argv[1:3]]
for end, place in zip(ends, (3, 4)):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""            # the browser reads what it is told from its file 3 and answers on its file 4


class Browser:
    """One page of a Chromium; what it asked the network for is in `asked`, what went wrong in it in `complaints`."""

    def __init__(self, folder):
        told, tell = os.pipe()
        hear, heard = os.pipe()
        command = [sys.executable, "-c", LAUNCH, str(told), str(heard), CHROMIUM, *FLAGS, f"--user-data-dir={folder}"]
        self.process = subprocess.Popen(command, pass_fds=(told, heard), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        os.close(told)
        os.close(heard)
        self.tell, self.hear, self.number, self.rest, self.session = tell, hear, 0, b"", None
        self.asked, self.complaints = [], []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **words):
        """The answer to a message; events meanwhile are noted."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": words}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.tell, json.dumps(message).encode() + PAST)
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            if answer.get("method") == "Network.requestWillBeSent":
                self.asked.append(answer["params"]["request"]["url"])
            if answer.get("method") == "Runtime.exceptionThrown":
                self.complaints.append(answer["params"]["exceptionDetails"])

    def _next(self):
        while PAST not in self.rest:
            part = os.read(self.hear, 1 << 20)
            assert part, "the browser went away"
            self.rest += part
        message, _, self.rest = self.rest.partition(PAST)
        return json.loads(message)

    def evaluate(self, code):
        """The value of an expression in the page; a promise is waited for."""
        found = self.ask("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait_for(self, condition):
        """Wait until an expression is true, also while one document takes the place of another."""
        for _ in range(30_000):
            with suppress(AssertionError):   # the document that was asked has gone
                if self.evaluate(condition):
                    return
                self.evaluate("new Promise(done => setTimeout(done, 20))")
        raise AssertionError(f"never came: {condition}")

    def open(self, path, after=""):
        """Show a file and wait for its mark; a new document each time, also where only what stands after # differs."""
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=f"file://{path}{after}")
        self.evaluate("""new Promise(done => {
            const is = () => location.href !== 'about:blank' && document.documentElement?.dataset.ready;
            const look = () => is() ? done() : setTimeout(look, 20); look(); })""")
        return self.evaluate("document.documentElement.dataset.ready")

    def press(self, x, y):
        """Press and release the pointer."""
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def picture(self):
        """The page as it looks, PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot")["data"])

    def close(self):
        """End the browser, and what it started."""
        try:
            self.session = None
            self.ask("Browser.close")
        except (AssertionError, OSError):
            self.process.kill()
        self.process.wait(timeout=600)
        os.close(self.tell)
        os.close(self.hear)
