"""The report in a real browser: no errors, nothing blank, nothing too wide, and a slider that moves the robot."""

import json
import queue
import re
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from report.small_run import small_run

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--use-angle=swiftshader",
    "--window-size=1400,1000",
    "--no-first-run",
    "--remote-debugging-port=0",  # without it there is nothing to stay open for
)
LISTEN = """<script>
window.faults = [];
addEventListener("error", (event) => faults.push(String(event.message)));
const said = console.error;
console.error = (...words) => { faults.push(words.join(" ")); said(...words); };
</script>"""
LOOK = """<script>
(async () => {
  const stage = document.getElementById("robot");
  const slider = document.getElementById("time");
  const picture = async () => {
    const image = new Image();
    image.src = await Plotly.toImage(stage, { format: "png", width: 320, height: 240 });
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [320, 240];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return Array.from(new Uint32Array(context.getImageData(0, 0, 320, 240).data.buffer));
  };
  const first = await picture();
  slider.value = Math.round(slider.max / 2);
  slider.dispatchEvent(new Event("input"));
  await new Promise((done) => setTimeout(done, 500));
  const second = await picture();
  const plots = [...document.querySelectorAll(".plot")];
  const wide = [...document.body.querySelectorAll("*")].filter(
    (each) => !each.closest(".scroll, pre, .stage, .plot") && each.getBoundingClientRect().right > innerWidth + 1);
  await fetch("/seen", { method: "POST", body: JSON.stringify({
    faults,
    colours: new Set(first).size,
    moved: first.filter((pixel, k) => pixel !== second[k]).length,
    plots: plots.length,
    empty: plots.filter((each) => !each.querySelector(".trace, .points path, .point path")).map((each) => each.id),
    broad: plots.filter((each) => each._fullLayout.width > innerWidth).map((each) => each.id),
    wide: wide.map((each) => each.tagName + "." + each.className),
    scroll: document.documentElement.scrollWidth - innerWidth,
    paper: getComputedStyle(document.body).backgroundColor,
    ink: plots[0]._fullLayout.font.color,
    now: document.getElementById("now").textContent,
  })});
})();
</script>"""
OUTER = '<!DOCTYPE html><body><iframe src="looked_at.html" width="WIDTH" height="900"></iframe></body>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if BROWSER is None:
        pytest.skip("no Chromium is installed: the report is not looked at in a browser")
    place = tmp_path_factory.mktemp("looked_at")
    page = small_run(place).report.read_text()
    end = page.rindex("</body>")
    (place / "looked_at.html").write_text(page[:end].replace("<head>", f"<head>{LISTEN}", 1) + LOOK + page[end:])
    return place


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_right(folder, width, scheme):
    outer = folder / f"outer_{width}.html"
    outer.write_text(OUTER.replace("WIDTH", str(width)))  # a window cannot be as narrow as that
    seen = looked_at(outer, scheme)
    assert seen["faults"] == []
    assert seen["colours"] > 50, "the robot is drawn"
    assert seen["moved"] > 200, "the slider moves it"
    assert "base turned by" in seen["now"]
    assert seen["plots"] >= 8
    assert seen["empty"] == seen["broad"] == seen["wide"] == []
    assert seen["scroll"] <= 0
    paper, ink = (sum(map(int, re.findall(r"\d+", text)[:3])) for text in (seen["paper"], _rgb(seen["ink"])))
    assert (paper > 600 and ink < 200) if scheme == "light" else (paper < 100 and ink > 600)


def looked_at(page, scheme):
    """What the page says of itself once a browser shows it."""
    found = queue.Queue()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Answering, found, directory=page.parent))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    profile = page.parent / f"{page.stem}_{scheme}"
    address = f"http://127.0.0.1:{server.server_port}/{page.name}"
    command = [BROWSER, *FLAGS, *settings, f"--user-data-dir={profile}", address]
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return json.loads(found.get(timeout=120))
    finally:
        browser.terminate()
        browser.wait(timeout=30)
        server.shutdown()
        server.server_close()


class Answering(SimpleHTTPRequestHandler):
    """Serves a folder and keeps what is posted."""

    def __init__(self, found, *arguments, **more):
        self.found = found
        super().__init__(*arguments, **more)

    def do_POST(self):
        self.found.put(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *words):
        """Nothing."""


def _rgb(text):
    """Of a colour like #1d2227."""
    if not text.startswith("#"):
        return text
    return " ".join(str(int(text[k : k + 2], 16)) for k in (1, 3, 5))
