"""The pages and the JSON of ``pymc-games serve`` as a Flask application."""

from __future__ import annotations

import re
from typing import Any

from flask import Flask, Response, jsonify, make_response, redirect, request, send_from_directory
from werkzeug.exceptions import HTTPException

from pymc_games.errors import GamesError
from pymc_games.report import pages
from pymc_games.report.pages import Page
from pymc_games.web.answers import NAMES, Answer, Desk
from pymc_games.web.parameters import Parameters

PAGES = (Page("/", "Ask"), Page("/pig", "Pig"), Page("/bearoff", "Bearoff"), Page("/farkle", "Farkle"))

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

#: Names of this machine alone. A page elsewhere whose name is made to lead here sends its own name.
HOST = re.compile(r"(127\.0\.0\.1|localhost)(:[0-9]{1,5})?", re.IGNORECASE)
#: Longest query of an address; a question takes a fraction of it.
LONGEST_QUERY = 1000

SENTENCES = {
    404: "there is no page {path}; the pages are /pig, /bearoff and /farkle",
    405: "{method} is not answered here; ask with GET",
    500: "something went wrong inside; the terminal that runs pymc-games serve says what",
}


def create(desk: Desk) -> Flask:
    """Return the application, answering from ``desk``."""
    app = Flask(__name__, static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]

    @app.before_request
    def refuse() -> Response | None:
        if HOST.fullmatch(request.headers.get("Host", "")) is None:
            return _complaint("this server answers to 127.0.0.1 and localhost only; open it by that address", 400)
        if request.method not in ("GET", "HEAD"):
            return _complaint(SENTENCES[405].format(method=request.method), 405, Allow="GET, HEAD")
        if len(request.query_string) > LONGEST_QUERY:
            return _complaint(f"the address is too long; {LONGEST_QUERY} characters are enough for a question", 400)
        return None

    @app.after_request
    def secure(response: Response) -> Response:
        response.headers.update(HEADERS)
        return response

    @app.errorhandler(HTTPException)
    def sentence(error: HTTPException) -> Response:
        status = error.code or 500
        told = SENTENCES.get(status, "the request cannot be understood")
        return _complaint(told.format(path=request.path, method=request.method), status)

    _add_routes(app, desk)
    return app


def _add_routes(app: Flask, desk: Desk) -> None:
    @app.get("/")
    def index() -> str:
        return _page("ask/index.html", "/", desk=desk)

    @app.get("/<any(pig, bearoff, farkle):game>")
    def page(game: str) -> Response:
        answer: Answer | None = None
        error, status = None, 200
        try:
            parameters = Parameters(request.args.items(multi=True), NAMES[game])
            answer = desk.ask(game, parameters) if parameters else None
        except GamesError as refused:
            error, status = str(refused), 400
        given = {name: request.args.get(name, "")[:40] for name in NAMES[game]}
        shown = answer.shown if answer else None
        text = _page(f"ask/{game}.html", f"/{game}", desk=desk, given=given, answer=shown, error=error,
                     asked=request.query_string.decode("latin-1"))  # fmt: skip
        return make_response(text, status)

    @app.get("/api/<any(pig, bearoff, farkle):game>")
    def api(game: str) -> Response:
        try:
            parameters = Parameters(request.args.items(multi=True), NAMES[game])
            return jsonify(desk.ask(game, parameters).document)
        except GamesError as refused:
            return _complaint(str(refused), 400)

    @app.get("/favicon.ico")
    def icon() -> Response:
        return redirect("/icon.svg", 301)  # type: ignore[return-value]

    @app.get(f"/<any({', '.join(pages.ASSETS)}):name>")
    def asset(name: str) -> Response:
        return send_from_directory(pages.FOLDER, name)


def _page(template: str, current: str, **context: Any) -> str:
    return pages.render(template, PAGES, current, assets="/", **context)


def _complaint(sentence: str, status: int, **headers: str) -> Response:
    """Return an error as a page, or as JSON where that was asked for."""
    if request.path.startswith("/api/"):
        response = jsonify(error=sentence)
    else:
        response = make_response(_page("ask/error.html", "", sentence=sentence))
    response.status_code = status
    response.headers.update(headers)
    return response
