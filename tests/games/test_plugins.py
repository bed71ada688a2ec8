"""Games from outside the package: found by folder and as installed, and refused in one sentence where they are bad."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import pytest

from pymc_games import games
from pymc_games.cli import main as entry
from pymc_games.errors import PluginError

ROOT = Path(__file__).resolve().parent.parent.parent
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Run]:
    """Return a function that runs the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["pymc-games", *arguments])
        with pytest.raises(SystemExit) as stop:
            entry.main()
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    yield invoke
    games.use([])


@pytest.fixture
def race(run: Run, tmp_path: Path) -> Path:
    """Write the skeleton as the game ``race`` in ``here/`` and return its folder."""
    assert run("new", "race", "-o", "here")[0] == 0
    return tmp_path / "here" / "race"


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def refused(answer: tuple[int, str, str]) -> str:
    """Return the one sentence with which a command was refused."""
    status, out, err = answer
    assert (status, out) == (2, ""), err
    assert err.startswith("pymc-games: ")
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
    return err


@pytest.mark.usefixtures("race")
class TestAGameOfOnesOwn:
    @pytest.fixture(autouse=True)
    def _command(self, run: Run) -> None:
        self.run = lambda *arguments: run("--games", "here", *arguments)

    def test_it_is_listed_with_its_properties(self) -> None:
        status, out, _ = self.run("list", "race", "--json", "-")
        (game,) = json.loads(out)["games"]
        assert (status, game["name"]) == (0, "race")
        assert game["models"][0]["properties"] == ['"fewest_turns": R{"turns"}min=? [ F "goal" ]']
        assert "pig" in self.run("list")[1]

    def test_it_is_generated(self, tmp_path: Path) -> None:
        assert self.run("generate", "race", "-c", "goal=5")[1].split() == ["race/alone.prism", "race/alone.props"]
        text = (tmp_path / "race" / "alone.prism").read_text()
        assert "const int goal = 5;" in text
        # 5 points: two rolls that hit, 3/2 turns each, and one point taken
        assert "// RESULT: 4\n" in (tmp_path / "race" / "alone.props").read_text()
        # the folder of that name does not hide the game
        assert self.run("check", "race")[0] == 0

    @pytest.mark.parametrize("command", ["check", "compare"])
    def test_storm_and_the_engine_agree(self, command: str) -> None:
        status, out, _ = self.run(command, "race", "-c", "goal=4", "--exact", "--json", "-")
        (result,) = json.loads(out)["results"]
        assert status == 0
        assert result["agree"]
        for side in ("storm", "native"):
            assert (result[side]["exact"]["num"], result[side]["exact"]["den"]) == ("3", "1")

    def test_it_is_certified(self, tmp_path: Path) -> None:
        assert self.run("certify", "race", "--prop", 'R{"turns"}min=? [ F "goal" ]', "-o", "race.cert")[0] == 0
        checker = [sys.executable, ROOT / "verify" / "checker.py", tmp_path / "race.cert"]
        assert subprocess.run(checker, capture_output=True, text=True, check=True).stdout.startswith("valid")

    def test_it_is_simulated(self) -> None:
        status, out, _ = self.run("simulate", "race", "--games", "2000", "--json", "-")
        document = json.loads(out)
        assert status == 0
        assert document["lower"] < 2.5 < document["upper"]

    def test_its_figures_are_verified(self, race: Path) -> None:
        assert "1 reproduced, 0 differ" in self.run("verify", "--game", "race")[1]
        change(race / "figures.toml", '"5/2"', '"7/3"')
        assert self.run("verify", "--game", "race")[0] == 1

    def test_it_is_explained(self) -> None:
        status, out, _ = self.run("explain", "race")
        assert (status, "no warnings" in out) == (0, True)

    def test_the_two_descriptions_are_compared(self, race: Path) -> None:
        change(race / "model.prism.j2", "score+2", "score+1")
        status, _, err = self.run("compare", "race")
        assert status == 1
        assert "score=" in err

    def test_a_wrong_constant_suggests_the_nearest(self) -> None:
        assert "race has no constant 'gaol'; did you mean goal?" in refused(self.run("check", "race", "-c", "gaol=2"))
        assert "did you mean race?" in refused(self.run("check", "rase"))


def test_the_environment_names_folders_too(run: Run, race: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is no game 'race'" in refused(run("generate", "race"))
    monkeypatch.setenv("PYMC_GAMES_PATH", str(race.parent))
    assert run("generate", "race")[0] == 0


def test_the_skeleton_s_own_tests_pass_at_once_and_notice_a_mistake(race: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    first = subprocess.run(command, cwd=race, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stdout
    change(race / "model.prism.j2", "score+2", "score+1")
    assert subprocess.run(command, cwd=race, capture_output=True, text=True, check=False).returncode == 1


RAISES = 'raise ZeroDivisionError("oh\\nno")'


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("game.py", "HIT =", f"{RAISES}\nHIT =", "'race' failed: {folder}/game.py, line 23: ZeroDivisionError: oh"),
        ("game.py", "HIT =", "import sys; sys.exit('bye')\nHIT =", "{folder}/game.py, line 23: SystemExit: bye"),
        ("game.py", "HIT =", "HIT = = ", "{folder}/game.py, line 23: SyntaxError: invalid syntax"),
        ("game.py", "HIT =", "import nowhere\nHIT =", "{folder}/game.py, line 23: ModuleNotFoundError: No module"),
        ("game.py", "    return {", f"    {RAISES}\n    return {{", "{folder}/game.py, line 28: ZeroDivisionError: oh"),
        ("game.py", "    model = ", f"    {RAISES}\n    model = ", "{folder}/game.py, line 42: ZeroDivisionError: oh"),
        ("game.py", "    simulate=", "    check=lambda constants: {}[1],\n    simulate=", "KeyError: 1"),
        ("game.py", "    simulate=", "    check=3,\n    simulate=", "TypeError: 'int' object is not callable"),
        ("game.py", "    return {", "    return 3, {", "game.py: context returned (3, {{"),
        ("game.py", "    return replace(\n        model", "    return replace(\n        'x'", "TypeError: replace()"),
        ("game.py", "1 - HIT}", "HIT}", "the model of explicit in {folder}/game.py: the probabilities of choice 0"),
        ("game.py", "GAME = Game(", "PLAY = Game(", "{folder}/game.py has no GAME; it must define GAME = Game(...)"),
        ("game.py", "GAME = Game(", "GAME = dict(", "{folder}/game.py has a GAME that is {{"),
        ("game.py", 'name="race"', 'name="rice"', "the game's name is 'rice', but it lies in 'race'"),
        ("game.py", 'type="mdp"', 'type="mpd"', "the variant alone has the type 'mpd'; the types are dtmc, mdp, smg"),
        ("game.py", "(integer(", "(3, integer(", "3 stands where a Constant is needed"),
        ("game.py", '="model.prism.j2"', '="modell.prism.j2"', "there is no template 'modell.prism.j2'"),
        ("game.py", '="model.prism.j2"', '="../model.prism.j2"', "'../model.prism.j2' lies outside of {folder}"),
        ("model.prism.j2", "mdp", "{% include '/etc/passwd' %}", "model.prism.j2, line 4: '/etc/passwd' lies outside"),
        ("model.prism.j2", "mdp", "{{ ''.__class__.__mro__ }}", "line 4: access to attribute '__class__'"),
        ("model.prism.j2", "mdp", "{% for i in range(10**9) %}{% endfor %}", "line 4: OverflowError: Range too big"),
        ("model.prism.j2", "mdp", "mpd", "race/alone"),
        ("model.props.j2", "min=?", "mni=?", "mni"),
    ],
)  # fmt: skip
def test_a_bad_game_is_refused_in_one_sentence(
    run: Run, race: Path, file: str, old: str, new: str, complaint: str
) -> None:
    change(race / file, old, new)
    assert complaint.format(folder=race) in refused(run("--games", "here", "check", "race"))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("[[figure]]", "[[figure]", "figures.toml cannot be read as TOML"),
        ("published =", "publihed =", "unknown key 'publihed'; did you mean published?"),
        ('game = "race"', 'game = "rice"', "figures.toml: the game is 'rice', but the file is that of 'race'"),
    ],
)
def test_a_bad_figures_file_is_refused(run: Run, race: Path, old: str, new: str, complaint: str) -> None:
    change(race / "figures.toml", old, new)
    assert complaint in refused(run("--games", "here", "verify", "--game", "race"))


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("figures.toml", '"fewest_turns"', '"fewest"', "game.py has no function 'fewest'"),
        ("game.py", "    return turns_left(goal)[goal]", "    return turns_left(goal)[9]", "IndexError"),
    ],
)
def test_a_figure_s_function_that_fails_is_reported(
    run: Run, race: Path, file: str, old: str, new: str, complaint: str
) -> None:
    change(race / file, old, new)
    status, out, err = run("--games", "here", "verify", "--game", "race", "--json", "-")
    (figure,) = json.loads(out)["figures"]
    assert (status, figure["verdict"], err.strip()) == (1, "not run", "")
    assert complaint in figure["note"]


def test_folders_of_no_use_are_refused(run: Run, race: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "--games nowhere: there is no such folder" in refused(run("--games", "nowhere", "list"))
    assert "--games empty: no games in it" in refused(run("--games", "empty", "list"))
    assert f"give the folder that it lies in, {race.parent}" in refused(run("--games", "here/race", "list"))
    race.rename(race.parent / "a-b")
    assert "rename the folder" in refused(run("--games", "here", "list"))


def test_two_games_with_one_name_are_refused_with_both_places(run: Run, race: Path, tmp_path: Path) -> None:
    assert run("new", "race", "-o", "there")[0] == 0
    both = refused(run("--games", "here", "--games", "there", "list"))
    assert f"two games are named 'race': {race} and {tmp_path / 'there' / 'race'}" in both
    assert run("--games", "here", "--games", "here", "generate", "race")[0] == 0
    race.rename(race.parent / "pig")
    assert f"the package's own and {race.parent / 'pig'}" in refused(run("--games", "here", "list"))


def distribution(folder: Path, module: str) -> None:
    """Write an installed distribution that announces the game ``race``."""
    info = folder / "race-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: race\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{games.plugins.GROUP}]\nrace = {module}\n")


@pytest.fixture
def installed(race: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put the game's parent folder on the path, as an installed distribution would be."""
    monkeypatch.syspath_prepend(str(race.parent))
    games._installed.cache_clear()
    yield race
    games._installed.cache_clear()
    for name in ("race", "race.game"):
        sys.modules.pop(name, None)


def test_an_installed_game_is_found_through_its_entry_point(run: Run, installed: Path) -> None:
    distribution(installed.parent, "race.game")
    assert [point.name for point in metadata.entry_points(group=games.plugins.GROUP)] == ["race"]
    assert run("compare", "race")[0] == 0
    assert "1 reproduced" in run("verify", "--game", "race")[1]
    # named as a folder too, it is still one game
    assert run("--games", "here", "generate", "race")[0] == 0


def test_an_installed_game_without_its_module_is_refused(run: Run, installed: Path) -> None:
    distribution(installed.parent, "race.gaem")
    assert "the installed game 'race': there is no module race.gaem" in refused(run("check", "race"))


@pytest.mark.parametrize("name", ["2dice", "two-dice", "class", "", "Two", "../up", "a b"])
def test_a_name_that_no_game_can_have_is_refused(run: Run, name: str, tmp_path: Path) -> None:
    assert "cannot name a game" in refused(run("new", name))
    assert list(tmp_path.iterdir()) == []


def test_new_overwrites_nothing(run: Run, race: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in race.iterdir() if path.is_file()}
    assert "nothing is overwritten" in refused(run("new", "race", "-o", "here"))
    assert {path.name: path.read_bytes() for path in race.iterdir() if path.is_file()} == before
    (tmp_path / "dice").symlink_to("nowhere")
    assert "nothing is overwritten" in refused(run("new", "dice"))
    assert "there is a game 'pig' in the package" in refused(run("new", "pig"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dice", "here"]


def test_a_name_that_is_taken_is_refused_in_a_program_too(race: Path) -> None:
    race.rename(race.parent / "farkle")
    with pytest.raises(PluginError, match="the package's own"):
        games.use([race.parent])
    assert games.external() == {}
