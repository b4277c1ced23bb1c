"""Training that is interrupted by a signal, or by Ctrl-C on a terminal."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import termios
import time
import unittest

from cases import SPEC, FitCase

# terminal: True makes the terminal of standard error the controlling one of the process, so that its Ctrl-C arrives.
ENDLESS = """
import signal, sys, cavs
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background
sys.path.insert(0, {tests!r})
from models import tree_lstm
if {terminal}:
    import fcntl, termios
    fcntl.ioctl(2, termios.TIOCSCTTY, 0)
data = cavs.load_data({spec!r})
model = tree_lstm(12, 16, data.rows("word"), data.classes)
try:
    cavs.fit(model, data, epochs=10**6, batch_size=25, lr=0.01, save={path!r}, save_every=3)
except KeyboardInterrupt:
    print("interrupted")
"""


class Signals(FitCase):
    def test_an_interrupt_in_a_metric_saves(self):
        path = self.folder / "stopped"
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

        def interrupting(predictions, graphs):
            os.kill(os.getpid(), signal.SIGINT)
            return 1.0
        trainer = self.trainer()
        with self.assertRaises(KeyboardInterrupt):
            trainer.fit(10**6, save=str(path), metrics={"mine": interrupting})
        self.assertTrue(path.exists())

    def interrupted(self, path, terminal):
        """The output of an endless training until it is interrupted: by Ctrl-C on a terminal, or by a signal."""
        tests = os.path.dirname(os.path.abspath(__file__))
        program = ENDLESS.format(tests=tests, spec=SPEC, path=str(path), terminal=terminal)
        reader, writer = pty.openpty() if terminal else os.pipe()
        if terminal:
            flags = termios.tcgetattr(writer)
            flags[3] |= termios.NOFLSH  # Ctrl-C does not discard output
            termios.tcsetattr(writer, termios.TCSANOW, flags)
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=writer,
                                   env={**os.environ, "TERM": "xterm", "COLUMNS": "60"}, start_new_session=terminal)
        self.addCleanup(process.kill)
        os.close(writer)
        os.set_blocking(reader, False)
        shown, end = b"", time.monotonic() + 60
        sent = False
        while process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError):  # no output yet, or a terminal whose other end is closed
                shown += os.read(reader, 65536)
            if path.exists() and not sent and (not terminal or "▕".encode() in shown):
                sent = True
                os.write(reader, b"\x03") if terminal else process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        with contextlib.suppress(OSError):
            while piece := os.read(reader, 65536):
                shown += piece
        os.close(reader)
        output = process.communicate(timeout=10)[0].decode()
        self.assertEqual((process.returncode, output), (0, "interrupted\n"), shown.decode())
        trainer, through = self.trainer(), self.trainer()
        trainer.resume(path)
        self.assertGreater(trainer.steps, 0)
        while through.steps < trainer.steps:
            through.step()
        self.assertEqual(trainer.step().loss, through.step().loss)  # the same bits as training without a stop
        return shown.decode()

    def test_an_interrupt_during_cpp_code_saves(self):
        shown = self.interrupted(self.folder / "stopped", terminal=False)
        self.assertNotIn("▕", shown)

    def test_ctrl_c_under_the_bar_saves(self):
        shown = self.interrupted(self.folder / "stopped", terminal=True)
        self.assertRegex(shown, r"epoch \d+/1000000 ▕")
        self.assertRegex(shown, r"\r *\r[^▕]*$", "the bar is gone at the end")


if __name__ == "__main__":
    unittest.main()
