"""build/packages/action/: a GitHub Action, as the owner publishes it in a repository of its own."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import product  # noqa: E402


def main():
    for name in ("action.yml", "start.sh"):
        product.fill(HERE / name, product.OUT / "action" / name)


main()
