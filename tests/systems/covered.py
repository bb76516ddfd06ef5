"""Tests that name the requirements they show in their docstrings: "Covers AH17, AH8." Their results go to a file that tests/designs/seeds.py reads."""
import json
import pathlib
import re
import sys
import unittest

COVERS = re.compile(r"\bCovers ([A-Z0-9, ]+)\.")


def results_file():
    """Takes `--results FILE` from the command line; None if it is missing."""
    if "--results" not in sys.argv:
        return None
    at = sys.argv.index("--results")
    results = pathlib.Path(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return results


def noting(program):
    """Returns a class of test results that keeps which test of which requirement passed."""
    class Noted(unittest.TextTestResult):
        results = []

        def note(self, test, passed):
            found = COVERS.search(test._testMethodDoc or "")  # pylint: disable=protected-access
            if found:
                self.results.append({"case": f"{program}: {test._testMethodName} ({type(test).__name__})",  # pylint: disable=protected-access
                                     "covers": found[1].split(", "), "passed": passed})

        def addSuccess(self, test):
            super().addSuccess(test)
            self.note(test, True)

        def addFailure(self, test, err):
            super().addFailure(test, err)
            self.note(test, False)

        def addError(self, test, err):
            super().addError(test, err)
            self.note(test, False)

    return Noted


def run(program, results):
    """Runs the tests of the script that was started, and ends it."""
    noted = noting(program)
    done = unittest.main(module="__main__", exit=False, testRunner=unittest.TextTestRunner(resultclass=noted))
    if results:
        results.parent.mkdir(parents=True, exist_ok=True)
        results.write_text(json.dumps(noted.results, indent=1))
    sys.exit(not done.result.wasSuccessful())
