"""Serves a trained model over HTTP: reads text and returns one JSON line per sample.

    python examples/python/serve.py tagger.cavs --port 8000
    curl --data "She moved from Berlin to New York ." localhost:8000

The text is in a format of `cavs predict`: sentences, trees in brackets, JSON lines. For invalid text, the response has
status 400 and the reason. One thread at a time may use a model, so a lock protects each prediction; to use more
processors, start more processes.
"""

import argparse
import http.server
import json
import threading
from typing import Any

import cavs


def as_json(prediction: cavs.Prediction, tags: list[str]) -> dict[str, Any]:
    """The class of every vertex (a word of a sentence, a bracket of a tree), by name if classes have names."""
    return {"classes": [tags[c] if tags and c >= 0 else c for c in prediction.classes], "roots": prediction.roots}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on; 0 chooses a free port")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()

    model, one_at_a_time = cavs.load(options.model), threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("utf-8", "replace")
            try:
                with one_at_a_time:
                    predictions = model.predict_text(text, threads=options.threads)
                status, lines = 200, [as_json(p, model.class_names) for p in predictions]
            except cavs.Error as error:
                status, lines = 400, [{"error": str(error)}]
            body = "".join(json.dumps(line) + "\n" for line in lines).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/x-ndjson")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with http.server.ThreadingHTTPServer(("localhost", options.port), Handler) as server:
        print(f"{model!r} on http://localhost:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
