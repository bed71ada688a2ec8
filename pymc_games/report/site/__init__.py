"""The report as a static site: ``build`` writes it, one module a game has its pictures, ``svg`` draws."""
