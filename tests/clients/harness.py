"""What the tests of clients share: the program under test, and surroundings in which this machine's own settings for
AWS do not count."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from server import Server  # noqa: E402,F401  (for those who import this)

REGION = "eu-south-1"
ACCESS_KEY = "AKIDEXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
PROGRAM = None


def main():
    """Runs the tests of the script that was started: SCRIPT PROGRAM [TEST ...]."""
    global PROGRAM
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} PATH/TO/tavola [TEST ...]")
    # Tests import this module by its name, while the script that was started is __main__.
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    os.environ.update(environment())
    for name in set(os.environ) - set(environment()):
        del os.environ[name]
    unittest.main(module="__main__", warnings="ignore")  # boto3 leaves its sockets to the garbage collector


def environment():
    """No profile, no proxy and no metadata service: only what is said here."""
    kept = {name: value for name, value in os.environ.items()
            if not name.upper().startswith("AWS_") and not name.upper().endswith("_PROXY")}
    return {**kept,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_DEFAULT_REGION": REGION, "AWS_REGION": REGION,
            "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": "", "NO_PROXY": "*"}
