"""The pages and the JSON of questions: right answers, and a sentence for everything else."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("flask")
pytest.importorskip("waitress")
from click.testing import CliRunner

from pymc_games.cli.main import cli
from pymc_games.web import app
from pymc_games.web.answers import Desk


@pytest.fixture(scope="module")
def client() -> Any:
    return app.create(Desk()).test_client()


def test_pig_is_as_published(client: Any) -> None:
    """Neller and Presser, 2004: hold at 21 at the start; the first player wins 0.5306."""
    assert client.get("/api/pig?own=0&other=0&turn=20").json["action"] == "roll"
    document = client.get("/api/pig?own=0&other=0&turn=21").json
    assert document["action"] == "hold"
    assert document["margin"]["lower"] > 0
    first = client.get("/api/pig?own=0&other=0").json
    assert f"{first['roll']['value']:.4f}" == "0.5306"
    assert (first["hold"], first["margin"]) == (None, None)
    assert "Best: hold" in client.get("/pig?own=0&other=0&turn=21").text


@pytest.mark.parametrize(("own", "other", "turn", "chance"), [(0, 0, 1, 5 / 7), (0, 1, 0, 2 / 5), (1, 0, 0, 4 / 5)])
def test_piglet_is_as_published(client: Any, own: int, other: int, turn: int, chance: float) -> None:
    """Neller and Presser, 2004: the game with a coin to two points, where rolling is best in all of these."""
    asked = f"own={own}&other={other}&turn={turn}&goal=2&die=2&bust=2"
    document = client.get(f"/api/pig?{asked}").json
    assert document["action"] == "roll"
    assert document["roll"]["lower"] <= chance <= document["roll"]["upper"]


def test_bearoff_alone_in_a_race_and_with_a_roll(client: Any) -> None:
    alone = client.get("/api/bearoff?position=0,0,0,0,0,2").json["solo"]["expected_rolls"]
    assert alone["exact"]["num"] == "49213"
    # The GNU Backgammon manual's example, 5 and 2 on roll against 3 and 2: 67.1 %.
    manual = client.get("/api/bearoff?position=0,1,0,0,1,0&opponent=0,1,1,0,0,0").json
    assert f"{manual['race']['optimal']['value']:.3f}" == "0.671"
    both = client.get("/api/bearoff?position=1,0,0,0,0,0&opponent=0,0,0,0,0,2&roll=2-1").json
    assert both["race"]["optimal"]["upper"] == 1
    assert both["options"][0]["win_probability"] == 1
    page = client.get("/bearoff?position=0,0,0,0,1,1&opponent=0,0,0,0,0,2&roll=2-1")
    assert page.status_code == 200
    assert "Best:" in page.text
    assert "Centred cube" in page.text


def test_farkle_says_that_the_game_is_small_and_a_win_is_banked(client: Any) -> None:
    assert "small game" in client.get("/farkle").text
    document = client.get("/api/farkle?own=700&other=0&turn=0&roll=1,1,1,2,3,4").json
    assert document["options"][0] | {"win_probability": 1.0} == document["options"][0]
    assert client.get("/api/farkle?own=0&other=0&roll=2,3").status_code == 400
    assert "the turn is lost" in client.get("/farkle?own=0&other=0&turn=300&dice=2&roll=2,3").text


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("pig?own=x&other=0", "own 'x': write a whole number"),
        ("pig?own=1_0&other=0", "write a whole number"),
        ("pig?own=100&other=0", "must lie between 0 and 99"),
        ("pig?own=0", "other is missing"),
        ("pig?own=0&other=0&goal=201", "goal=201: must lie between 1 and 200"),
        ("pig?own=0&own=1&other=0", "given twice"),
        ("pig?owm=0", "did you mean own?"),
        ("bearoff?position=1,2", "has 2 counts"),
        ("bearoff?position=0,0,0,0,0,2&roll=7-1", "write two dice"),
        ("farkle?own=25&other=0", "multiples of 50"),
        ("farkle?own=0&other=0&roll=9", "not a roll"),
        ("pig?own=" + "9" * 2000, "too long"),
        ("pig?own=%3Cscript%3E&other=0", "write a whole number"),
    ],
)
def test_nonsense_is_400_and_a_sentence(client: Any, path: str, says: str) -> None:
    answer, page = client.get(f"/api/{path}"), client.get(f"/{path}")
    assert (answer.status_code, page.status_code) == (400, 400)
    assert says in answer.json["error"]
    assert 'role="alert"' in page.text
    assert "<script>" not in page.text


def test_other_pages_methods_and_hosts_are_refused(client: Any) -> None:
    assert client.get("/nowhere").status_code == 404
    assert "there is no page /nowhere" in client.get("/nowhere").text
    assert client.get("/api/nowhere").json["error"].startswith("there is no page")
    assert client.post("/pig").status_code == 405
    assert client.options("/pig").status_code == 405
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8000", ""):
        assert client.get("/", headers={"Host": host}).status_code == 400
    assert client.get("/", headers={"Host": "127.0.0.1:8000"}).status_code == 200
    assert client.head("/pig").status_code == 200


def test_every_answer_has_the_headers_and_no_inline_script(client: Any) -> None:
    for path in ("/", "/pig", "/bearoff", "/farkle", "/style.css", "/nowhere", "/api/pig"):
        answer = client.get(path)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        assert not re.search(r"<script(?![^>]*src=)|style=\"|\son\w+=", answer.text if path[1:4] != "sty" else "")


def test_many_ask_at_once(client: Any) -> None:
    paths = [f"/api/pig?own={n}&other=3&turn=5&goal={goal}" for goal in (20, 21, 22, 23) for n in range(4)]
    paths += ["/api/bearoff?position=0,0,0,0,1,2&opponent=0,0,0,1,1,1", "/api/farkle?own=0&other=0"] * 4
    alone = [client.get(path).json for path in paths]
    application = client.application
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda path: application.test_client().get(path).json, paths))
    assert [without_seconds(one) for one in together] == [without_seconds(one) for one in alone]


def without_seconds(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: without_seconds(value) for key, value in document.items() if key != "seconds"}
    return [without_seconds(part) for part in document] if isinstance(document, list) else document


def test_a_server_answers_refuses_a_taken_port_and_stops() -> None:
    command = [sys.executable, "-u", "-m", "pymc_games", "serve", "--port"]
    # A shell without job control starts its children deaf to Ctrl-C, so hearing it is asked for.
    hearing = (
        "import signal, sys; signal.signal(2, signal.default_int_handler); sys.argv[1:] = ['serve', '--port', '0']\n"
        "from pymc_games.cli.main import main; main()"
    )
    with subprocess.Popen([sys.executable, "-u", "-c", hearing], stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", running.stdout.readline())
            assert found is not None
            with urllib.request.urlopen(f"{found[0]}api/pig?own=0&other=0&turn=21&goal=30", timeout=120) as answer:  # noqa: S310
                answered = json.load(answer)
            asked = ["--own", "0", "--other", "0", "--turn", "21", "--goal", "30", "--json", "-"]
            told = CliRunner().invoke(cli, ["pig", "advise", *asked])
            assert answered["action"] == json.loads(told.stdout)["action"]
            taken = subprocess.run([*command, found[1]], capture_output=True, text=True, check=False)
            assert taken.returncode == 2
            assert taken.stderr.startswith(f"pymc-games: port {found[1]} is in use; take another")
            running.send_signal(signal.SIGINT)
            assert running.wait(30) == 0
        finally:
            running.kill()


@pytest.mark.parametrize(
    ("arguments", "says"), [(["--port", "65536"], "65536"), (["--farkle", __file__], "test_serve.py")]
)
def test_a_port_or_file_of_no_use_is_refused_at_start(arguments: list[str], says: str) -> None:
    run = subprocess.run([sys.executable, "-m", "pymc_games", "serve", *arguments], capture_output=True, text=True,
                         check=False)  # fmt: skip
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert says in run.stderr
