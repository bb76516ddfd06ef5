#!/usr/bin/env python3
"""Proves the shape of the tree: includes point down the rooms only, and files and functions stay readable.

    tests/rooms.py [ROOT]     prints what is wrong, one line each, and fails when there is anything

The rules:
  1. A folder of src/ is a room. A file may include its own room's headers and those of the rooms it may use.
  2. A public header (include/tavola/) belongs to a room and obeys it; it includes std and <tavola/...> only.
  3. Third-party and system headers appear in .cc files only, so that nobody who includes us compiles them.
     Headers of tests (x_test.h, test_x.h) may have them; only tests include such headers.
  4. Examples include what a user has: std and <tavola/...>.
  5. A file has at most 800 lines, a function fewer than 70. No file is called utils, helpers, common or misc.
tests/rooms_selftest.py shows each of them failing.
"""
import pathlib
import re
import sys

# The rooms from the ground up, each with the rooms it names in "may use" (ARCHITECTURE.md). What those may use, it
# may use too.
ROOMS = {
    "base": [],
    "yaml": ["base"],
    "value": ["base"],
    "expr": ["value"],
    "store": ["base"],
    "database": ["expr"],
    "policy": ["database"],
    "partiql": ["database"],
    "design": ["database", "yaml"],
    "runner": ["design", "partiql"],
    "engine": ["design", "store", "policy"],
    "wire": ["partiql", "policy"],
    "upstream": ["design", "wire"],
    "http": ["base"],
    "workshop": ["runner", "wire"],
    "api": ["runner", "workshop", "http"],
    "faults": ["api"],
    "throughput": ["partiql"],
    "moving": ["store", "wire"],
    "archive": ["runner", "store", "upstream", "http"],
    "console": ["database", "design", "http"],
    "systems": ["database", "design", "http"],
    "files": ["store", "workshop", "moving"],
    "cli": ["engine", "wire", "upstream", "http", "workshop", "api", "faults", "throughput", "moving", "archive", "files", "console", "systems"],
}

PUBLIC_HEADERS = {
    "error.h": "base",
    "number.h": "value",
    "value.h": "value",
    "packed.h": "value",
    "expression.h": "expr",
    "requests.h": "database",
    "streams.h": "database",
    "backups.h": "database",
    "exports.h": "database",
    "policies.h": "database",
    "database.h": "database",
    "partiql.h": "partiql",
    "table.h": "database",
    "design.h": "runner",
    "typed_design.h": "runner",
    "tavola.h": "runner",
}

FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 69
CODE_FOLDERS = ["include", "src", "tests", "bench", "fuzz", "examples"]
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "common", "misc"}

STD_HEADERS = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution expected filesystem flat_map flat_set
format forward_list fstream functional future generator initializer_list iomanip ios iosfwd iostream istream iterator
latch limits list locale map mdspan memory memory_resource mutex new numbers numeric optional ostream print queue
random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span spanstream sstream stack
stacktrace stdexcept stdfloat stop_token streambuf string string_view strstream syncstream system_error thread tuple
type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version
""".split())

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)


def may_use(room):
    """The rooms that `room` may include, itself included."""
    rooms = {room}
    for below in ROOMS[room]:
        rooms |= may_use(below)
    return rooms


def check(root):
    """Everything that is wrong with the tree, as lines of text."""
    root = pathlib.Path(root)
    problems = check_rooms(root)
    for folder in CODE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                problems += check_file(root, path.relative_to(root))
            elif path.suffix == ".py":
                problems += check_file_length(path.relative_to(root), path.read_text())
    return problems


def check_rooms(root):
    problems = []
    for folder in sorted(path for path in (root / "src").glob("*") if path.is_dir()):
        declaration = folder / "CMakeLists.txt"
        if folder.name not in ROOMS:
            problems.append(f"src/{folder.name}: not a room; the rooms are {', '.join(ROOMS)}")
        elif not declaration.is_file() or f"tavola_room({folder.name}" not in declaration.read_text():
            problems.append(f"src/{folder.name}/CMakeLists.txt: does not declare tavola_room({folder.name} ...)")
    return problems


def check_file(root, path):
    text = (root / path).read_text()
    code = without_comments_and_strings(text)
    problems = check_file_length(path, text)
    for line, name, count in functions(code):
        if count > FUNCTION_LINES_MAX:
            problems.append(f"{path}:{line}: {name} has {count} lines; at most {FUNCTION_LINES_MAX}")
    for match in INCLUDE.finditer(without_comments(text)):
        line = text.count("\n", 0, match.start()) + 1
        reason = refuse_include(root, path, match.group(1), match.group(2))
        if reason:
            problems.append(f"{path}:{line}: {reason}")
    return problems


def check_file_length(path, text):
    problems = []
    if path.stem in VAGUE_NAMES:
        problems.append(f"{path}: \"{path.stem}\" does not say what is in it")
    lines = text.count("\n")
    if lines > FILE_LINES_MAX:
        problems.append(f"{path}: {lines} lines; at most {FILE_LINES_MAX}")
    return problems


# ---- Includes ----

def room_of(path):
    """The room a file belongs to; None outside of the rooms (tests/, bench/, fuzz/, examples/)."""
    if path.parts[0] == "src":
        return path.parts[1]
    if path.parts[0] == "include":
        return PUBLIC_HEADERS.get(path.name)
    return None


def is_test(path):
    return path.parts[0] in ("tests", "bench", "fuzz") or re.search(r"_test\.(cc|h)$", path.name) is not None \
        or is_test_header(path.name)


def is_test_header(name):
    return re.search(r"(^|/)(test_\w+|\w+_test|testing)\.h$", name) is not None


def refuse_include(root, path, angled, quoted):
    """Why the file at `path` may not have this include; None when it may."""
    if path.parts[0] == "include" and path.name not in PUBLIC_HEADERS:
        return "a public header that belongs to no room; add it to PUBLIC_HEADERS in tests/rooms.py"
    if quoted is not None:
        return refuse_own(root, path, quoted)
    if angled.startswith("tavola/"):
        return refuse_public(path, angled.removeprefix("tavola/"))
    if angled in STD_HEADERS:
        return None
    if path.parts[0] in ("include", "examples"):
        return f"<{angled}>: only std and <tavola/...> here"
    if path.suffix == ".h" and not is_test(path):
        return f"<{angled}>: third-party and system headers belong into .cc files"
    return None


def refuse_public(path, header):
    owner = PUBLIC_HEADERS.get(header)
    room = room_of(path)
    if owner is None:
        return f"<tavola/{header}>: no such public header"
    if room is not None and room in ROOMS and owner not in may_use(room):
        return f"<tavola/{header}>: {room} may not use {owner}; it may use {', '.join(sorted(may_use(room)))}"
    return None


def refuse_own(root, path, header):
    if path.parts[0] in ("include", "examples"):
        return f"\"{header}\": only std and <tavola/...> here"
    target = header.split("/")[0]
    if target in ("tests", "bench", "fuzz") and is_test(path) and (root / header).is_file():
        return None
    if target not in ROOMS or not (root / "src" / header).is_file():
        return f"\"{header}\": no such header; write it as \"room/file.h\""
    if is_test_header(header) and not is_test(path):
        return f"\"{header}\": a header of tests, included by code"
    room = room_of(path)
    if room is not None and room in ROOMS and target not in may_use(room):
        return f"\"{header}\": {room} may not use {target}; it may use {', '.join(sorted(may_use(room)))}"
    return None


# ---- Functions, found well enough by their braces ----

COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\\ ]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9a-zA-Z])'(?:\\.|[^'\\\n])+'", re.DOTALL)


def without_comments(text):
    """The text with comments blanked; places and lines stay."""
    return COMMENT_OR_STRING.sub(lambda m: blank(m) if m.group().startswith("/") else m.group(), text)


def without_comments_and_strings(text):
    """The text with comments, strings and preprocessor lines blanked."""
    text = COMMENT_OR_STRING.sub(blank, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.MULTILINE)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


SCOPE = re.compile(r"^(?:inline |extern\b|export |template.*> )*\s*(?:namespace|class|struct|union|enum)\b", re.DOTALL)


def functions(code):
    """Yields (line, name, lines) of the outermost function bodies in blanked code."""
    stack = []            # "scope", "function" or "other", one per open brace
    start = 0             # where the current declaration begins
    for match in re.finditer(r"[{};]", code):
        place, kind = match.start(), match.group()
        in_scope = all(entry[0] == "scope" for entry in stack)
        if kind == ";" and in_scope:
            start = match.end()
        elif kind == "{":
            stack.append((classify(code[start:place], in_scope), start))
            if stack[-1][0] == "scope":
                start = match.end()
        elif kind == "}" and stack:
            opened, began = stack.pop()
            if not all(entry[0] == "scope" for entry in stack):
                continue
            if opened == "function" and not continues(code, match.end()):
                begin = began + len(code[began:]) - len(code[began:].lstrip())
                yield (code.count("\n", 0, begin) + 1, function_name(code[begin:place]),
                       code.count("\n", begin, place) + 1)
                start = match.end()
            elif opened == "scope":
                start = match.end()


def classify(declaration, in_scope):
    declaration = re.sub(r"^\s*(?:(?:public|private|protected):\s*)*", "", declaration)
    if in_scope and (SCOPE.match(declaration) and not re.search(r"\)\s*(?:const|noexcept|override)?\s*$", declaration)):
        return "scope"
    is_variable = "operator" not in declaration and "=" in without_parentheses(declaration)
    return "function" if in_scope and "(" in declaration and not is_variable else "other"


def without_parentheses(text):
    shorter = re.sub(r"[(<][^()<>]*[)>]", "", text)
    return text if shorter == text else without_parentheses(shorter)


def continues(code, place):
    """After `a_{1}` in a constructor's initialisers the declaration goes on."""
    return re.match(r"\s*(?:,|\{)", code[place:place + 200]) is not None


def function_name(declaration):
    match = re.search(r"((?:\w+::)*operator\s*[^\s\w(]+|[~\w:]+)\s*\(([^{]*)", declaration)
    name = match.group(1) if match else "a function"
    if name.startswith(("TEST", "RC_GTEST")):
        arguments = " ".join(match.group(2).split(")")[0].split())
        return f"{name}({arguments})"
    return name


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    problems = check(root)
    print("\n".join(problems) if problems else "The rooms are in order.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
