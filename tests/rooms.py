#!/usr/bin/env python3
"""Proves the shape of the tree: includes point down the rooms only, and files, classes and functions stay readable.

    tests/rooms.py [ROOT]             prints what is wrong, one line each, and fails if there is anything
    tests/rooms.py [ROOT] --graph     prints which room includes which, as src/README.md draws it

The table of rooms is the one in src/README.md. The rules:
  1. A folder of src/ is a room. A file may include its own room's headers and those of the rooms it may use, directly or through them.
     A permission that no file but tests needs is refused. Tests may include all rooms above their own in the table.
  2. A folder in a room is a sub-room. The table gives their order; includes point down it. `.` is the room's own folder.
  3. Components (x.h and x.cc) of a room do not include each other in a circle, except for a header and its parts: then the circle is
     closed by one .cc file alone.
  4. A public header (include/tavola/) belongs to a room and obeys it; it includes std and <tavola/...> only.
  5. Third-party and system headers appear in .cc files only, so that nobody who includes us compiles them. Headers of tests
     (test_x.h) may have them; only tests include such headers, and a header that only tests include is named so.
  6. Examples include what a user has: std and <tavola/...>.
  7. A file has at most 800 lines, a class at most 250, or 800 with the members that its room defines elsewhere, a function fewer than 70,
     a folder at most 45 files. No file is called utils, helpers, common or misc. This holds for applications and pages, too.
  8. The includes that src/README.md draws are those that --graph prints.
  9. The README of a room, or of a sub-room, names every component: as `x`, `x.h` or `x.*`, or with others of its kind, as `read_*`
     or `operations/*`.
tests/rooms_selftest.py shows each of them failing.
"""
import fnmatch
import pathlib
import re
import sys

FILE_LINES_MAX = 800
CLASS_LINES_MAX = 250
CLASS_AND_MEMBERS_LINES_MAX = 800
FUNCTION_LINES_MAX = 69
FOLDER_FILES_MAX = 45
CODE_FOLDERS = ["include", "src", "tests", "bench", "fuzz", "examples"]
APPLICATION_FOLDERS = ["systems", "console", "web"]  # only their sizes are checked
CODE = (".h", ".cc", ".py")
PAGES = (".ts", ".tsx", ".mjs", ".css")
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "common", "misc"}

# Known problems: those whose text begins so are passed over. An entry that is no longer needed is refused.
LEFT = ()

ROW = re.compile(r"^\| `(\w+)/` \|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|$", re.MULTILINE)
WORD = re.compile(r"`([\w./]+)`|(\w+)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)
SCRIPT_FUNCTION = re.compile(r"^(?:export )?(?:default )?(?:async )?function\*? (\w+).*?^\}", re.MULTILINE | re.DOTALL)
HERE = "."


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



class Rooms:
    """The table of rooms in src/README.md: | room | what lives there | sub-rooms | public headers | may use |"""

    def __init__(self, text):
        self.uses = {}
        self.sub_rooms = {}
        self.public_headers = {}
        for room, _, sub_rooms, headers, uses in ROW.findall(text):
            self.uses[room] = words(uses)
            self.sub_rooms[room] = words(sub_rooms)
            self.public_headers |= {header: room for header in words(headers)}

    def may_use(self, room):
        """The rooms that `room` may include, itself included."""
        rooms = {room}
        for below in self.uses[room]:
            rooms |= self.may_use(below)
        return rooms

    def may_test_with(self, room):
        """The rooms that the tests of `room` may include: all above it in the table, and itself."""
        names = list(self.uses)
        return set(names[:names.index(room) + 1])

    def room_of(self, path):
        """The room a file belongs to; None outside of the rooms (tests/, bench/, fuzz/, examples/)."""
        if path.parts[0] == "src":
            return path.parts[1]
        if path.parts[0] == "include":
            return self.public_headers.get(public_name(path))
        return None


def public_name(path):
    """A public header as <tavola/...> names it: "table.h", "detail/typed_design.h"."""
    return "/".join(path.parts[2:])


def words(cell):
    return [quoted or plain for quoted, plain in WORD.findall(cell)]


class Tree:
    """The code of a tree: its rooms, and each file with its includes."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.rooms = Rooms((self.root / "src/README.md").read_text())
        self.texts = dict(self.read(CODE_FOLDERS, CODE))  # by path, relative to the root
        self.sized = self.texts | dict(self.read(APPLICATION_FOLDERS, CODE + PAGES)) | dict(self.read(["tests"], PAGES))
        self.includes = {}  # by path: (line, angled, quoted)
        for path, text in self.texts.items():
            if path.suffix != ".py":
                self.includes[path] = [(text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2))
                                       for match in INCLUDE.finditer(without_comments(text))]

    def read(self, folders, suffixes):
        """Yields the path, relative to the root, and the text of each file in these folders."""
        for folder in folders:
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix in suffixes and "testdata" not in path.parts:
                    yield path.relative_to(self.root), path.read_text()


def check(root, left=LEFT):
    """Everything that is wrong with the tree, as lines of text."""
    tree = Tree(root)
    problems = check_rooms(tree) + check_folders(tree)
    for path, text in tree.sized.items():
        problems += check_file_length(path, text)
    for path in tree.includes:
        problems += check_includes(tree, path)
    problems += check_lengths(tree)
    problems += check_permissions(tree) + check_circles(tree) + check_test_headers(tree) + check_drawing(tree)
    problems += check_readmes(tree)
    unused = [f"tests/rooms.py: \"{entry}\" is no longer needed in LEFT" for entry in left
              if not any(problem.startswith(entry) for problem in problems)]
    return [problem for problem in problems if not problem.startswith(tuple(left))] + unused


def check_rooms(tree):
    problems = []
    names = list(tree.rooms.uses)
    for room, uses in tree.rooms.uses.items():
        problems += [f"src/README.md: {room} may use {other}, which is not above it in the table"
                     for other in uses if other not in names[:names.index(room)]]
    for folder in sorted(path for path in (tree.root / "src").glob("*") if path.is_dir()):
        declaration = folder / "CMakeLists.txt"
        if folder.name not in tree.rooms.uses:
            problems.append(f"src/{folder.name}: not a room; the rooms are {', '.join(names)}")
        elif not declaration.is_file() or f"tavola_room({folder.name}" not in declaration.read_text():
            problems.append(f"src/{folder.name}/CMakeLists.txt: does not declare tavola_room({folder.name} ...)")
    return problems


def check_folders(tree):
    problems = []
    for folder in sorted({path.parent for path in tree.sized}):
        count = sum(path.is_file() for path in (tree.root / folder).iterdir())
        if count > FOLDER_FILES_MAX:
            problems.append(f"{folder}: {count} files; at most {FOLDER_FILES_MAX}")
        parts = folder.parts
        if len(parts) == 3 and parts[0] == "src" and parts[2] not in tree.rooms.sub_rooms.get(parts[1], []):
            problems.append(f"{folder}: src/README.md does not list this sub-room")
    return problems


def check_file_length(path, text):
    problems = []
    if path.stem in VAGUE_NAMES:
        problems.append(f"{path}: \"{path.stem}\" does not say what is in it")
    lines = text.count("\n")
    if lines > FILE_LINES_MAX:
        problems.append(f"{path}: {lines} lines; at most {FILE_LINES_MAX}")
    return problems


def check_lengths(tree):
    """Long functions, and long classes. The lines of a class are its own and those of the members that its room defines elsewhere."""
    problems = []
    classes = {}  # by room and name: [path, line, lines] of each class that has the name
    members = []  # (room, class, path, lines)
    for path, text in tree.sized.items():
        if path.suffix in (".ts", ".tsx"):
            problems += check_script_functions(path, text)
        if path.suffix not in (".h", ".cc"):
            continue
        room = tree.rooms.room_of(path) or "/".join(path.parts[:2] if path.parts[0] == "systems" else path.parts[:1])
        for kind, line, name, count in definitions(without_comments_and_strings(text)):
            scopes = name.split("::")
            if kind == "class":
                classes.setdefault((room, scopes[-1]), []).append([path, line, count])
                if count > CLASS_LINES_MAX:
                    problems.append(f"{path}:{line}: {name} has {count} lines; at most {CLASS_LINES_MAX}")
                continue
            if count > FUNCTION_LINES_MAX:
                problems.append(f"{path}:{line}: {name} has {count} lines; at most {FUNCTION_LINES_MAX}")
            if len(scopes) > 1:
                members.append((room, scopes[-2], path, count))
    for room, name, path, count in members:
        if namesakes := classes.get((room, name)):
            min(namesakes, key=lambda one: distance(one[0], path))[2] += count
    for (_, name), namesakes in classes.items():
        problems += [f"{path}: class {name} in line {line} has {count} lines with its members; at most {CLASS_AND_MEMBERS_LINES_MAX}"
                     for path, line, count in namesakes if count > CLASS_AND_MEMBERS_LINES_MAX]
    return problems


def check_script_functions(path, text):
    """Long functions of TypeScript: those that begin and end at the beginning of a line."""
    problems = []
    for found in SCRIPT_FUNCTION.finditer(text):
        lines = found.group().count("\n") + 1
        if lines > FUNCTION_LINES_MAX:
            problems.append(f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {found.group(1)} has {lines} lines; at most {FUNCTION_LINES_MAX}")
    return problems


def distance(path, other):
    """How far apart two files of a room are; a member belongs to the nearest class of its name."""
    if path == other:
        return 0
    return 1 if path.with_suffix("") == other.with_suffix("") else 2 if path.parent == other.parent else 3


# ---- Includes ----

def is_test(path):
    return path.parts[0] in ("tests", "bench", "fuzz") or path.name.endswith("_test.cc") or is_test_header(path.name)


def is_test_header(name):
    return re.search(r"(^|/)test_\w+\.h$", name) is not None


def check_includes(tree, path):
    problems = []
    if path.parts[0] == "include" and public_name(path) not in tree.rooms.public_headers:
        problems.append(f"{path}: a public header that belongs to no room; name it in the table of src/README.md")
    for line, angled, quoted in tree.includes[path]:
        reason = refuse_own(tree, path, quoted) if quoted is not None else refuse_angled(tree, path, angled)
        if reason:
            problems.append(f"{path}:{line}: {reason}")
    return problems


def refuse_angled(tree, path, header):
    """Why the file at `path` may not include <header>; None if it may."""
    if header.startswith("tavola/"):
        return refuse_public(tree, path, header.removeprefix("tavola/"))
    if header in STD_HEADERS:
        return None
    if path.parts[0] in ("include", "examples"):
        return f"<{header}>: only std and <tavola/...> here"
    if path.suffix == ".h" and not is_test(path):
        return f"<{header}>: third-party and system headers belong into .cc files"
    return None


def refuse_public(tree, path, header):
    owner = tree.rooms.public_headers.get(header)
    if owner is None:
        return f"<tavola/{header}>: no such public header"
    return refuse_room(tree, path, owner, f"<tavola/{header}>")


def refuse_room(tree, path, target, what):
    room = tree.rooms.room_of(path)
    if room not in tree.rooms.uses:
        return None
    allowed = tree.rooms.may_test_with(room) if is_test(path) else tree.rooms.may_use(room)
    if target not in allowed:
        return f"{what}: {room} may not use {target}; it may use {', '.join(sorted(allowed))}"
    return None


def refuse_own(tree, path, header):
    """Why the file at `path` may not include "header"; None if it may."""
    if path.parts[0] in ("include", "examples"):
        return f"\"{header}\": only std and <tavola/...> here"
    target = header.split("/")[0]
    if target in ("tests", "bench", "fuzz") and is_test(path) and (tree.root / header).is_file():
        return None
    if target not in tree.rooms.uses or not (tree.root / "src" / header).is_file():
        return f"\"{header}\": no such header; write it as \"room/file.h\""
    if is_test_header(header) and not is_test(path):
        return f"\"{header}\": a header of tests, included by code"
    return refuse_room(tree, path, target, f"\"{header}\"") or refuse_sub_room(tree, path, header)


def refuse_sub_room(tree, path, header):
    """Includes point down the sub-rooms; tests may look at all of their room."""
    room = tree.rooms.room_of(path)
    order = tree.rooms.sub_rooms.get(room)
    if not order or is_test(path) or header.split("/")[0] != room:
        return None
    own, other = sub_room(path.parts[2:]), sub_room(pathlib.PurePath(header).parts[1:])
    if own in order and other in order and order.index(other) > order.index(own):
        return f"\"{header}\": {other} stands above {own} in the order of {room}'s sub-rooms"
    return None


def sub_room(parts):
    return parts[0] if len(parts) > 1 else HERE


def check_permissions(tree):
    """Every room that another may use is used by it, and not by its tests alone."""
    used = used_rooms(tree)
    return [f"src/README.md: {room} may use {other}, and no file of it does"
            for room, uses in tree.rooms.uses.items() for other in uses
            if (tree.root / "src" / room).is_dir() and other not in used[room]]


def check_test_headers(tree):
    """A header of src/ that only tests include is named test_x.h."""
    included_by_code = {quoted for path, includes in tree.includes.items() if not is_test(path)
                        for _, _, quoted in includes if quoted}
    included = {quoted for includes in tree.includes.values() for _, _, quoted in includes if quoted}
    return [f"{path}: only tests include it; call it test_{path.name}" for path in tree.includes
            if path.parts[0] == "src" and path.suffix == ".h" and not is_test_header(path.name)
            and (header := "/".join(path.parts[1:])) in included - included_by_code]


# ---- Circles of components ----

def check_circles(tree):
    """Components of a room that include each other, unless one .cc file alone closes the circle."""
    below = {}  # by component, and by the suffix of the file that includes: the components of the same room
    for path, includes in tree.includes.items():
        if path.parts[0] != "src" or is_test(path):
            continue
        own = path.with_suffix("")
        files = below.setdefault(own, {".h": set(), ".cc": set()})
        for _, _, quoted in includes:
            other = pathlib.Path("src", quoted).with_suffix("") if quoted else own
            if other != own and other.parts[1] == own.parts[1]:
                files[path.suffix].add(other)
    problems = []
    for circle in circles({own: files[".h"] | files[".cc"] for own, files in below.items()}):
        def without(door):
            return {own: (below[own][".h"] | (below[own][".cc"] if own != door else set())) & circle for own in circle}
        if all(circles(without(door)) for door in circle):
            names = ", ".join("/".join(part.parts[2:]) for part in sorted(circle))
            problems.append(f"src/{min(circle).parts[1]}: a circle of includes: {names}")
    return problems


def circles(graph):
    """The strongly connected components of more than one node (Tarjan's algorithm)."""
    index, lowest, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = lowest[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other in graph and other not in index:
                visit(other)
            if other in stack:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == index[node]:
            component = set(stack[stack.index(node):])
            del stack[stack.index(node):]
            if len(component) > 1:
                found.append(component)

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


# ---- Functions and classes, found well enough by their braces ----

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


CLASS = re.compile(r"(?:(?:public|private|protected):\s*)*(?:template\s*<[^{]*>\s*)?(?:class|struct)\s+([\w:]+)")
SCOPE = re.compile(r"^(?:inline |extern\b|export |template.*> )*\s*(?:namespace|class|struct|union|enum)\b", re.DOTALL)


def definitions(code):
    """Yields (kind, line, name, lines) of the outermost function bodies, and of the classes, in blanked code."""
    stack = []            # "scope", "function" or "other", one per open brace, and where its declaration began
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
            begin = began + len(code[began:]) - len(code[began:].lstrip())
            line, lines = code.count("\n", 0, begin) + 1, code.count("\n", begin, place) + 1
            if opened == "function" and not continues(code, match.end()):
                yield "function", line, function_name(code[begin:place]), lines
                start = match.end()
            elif opened == "scope":
                if name := CLASS.match(code[begin:place]):
                    yield "class", line, name.group(1), lines
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


def check_drawing(tree):
    """The block under `## Includes` in src/README.md is what graph() measures."""
    drawn = re.search(r"^## Includes$.*?^```text\n(.*?)^```$", (tree.root / "src/README.md").read_text(), re.MULTILINE | re.DOTALL)
    if drawn is None or drawn.group(1).splitlines() == graph(tree):
        return []
    return ["src/README.md: the includes are not those of the tree; replace them by the output of tests/rooms.py --graph"]


def check_readmes(tree):
    """Every component of a room is named in the README of its room or sub-room."""
    folders = {folder for path in tree.includes if path.parts[0] == "src" for folder in (pathlib.Path(*path.parts[:2]), path.parent)}
    named = {folder: documented_names(tree, folder) for folder in folders}
    problems = set()
    for path in tree.includes:
        if path.parts[0] != "src" or is_test(path):
            continue
        room = pathlib.Path(*path.parts[:2])
        component = path.with_suffix("").relative_to(room)
        names = (component.name, str(component))
        if not any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in named[room] | named[path.parent]):
            problems.add(f"{room}/README.md: does not name {component}")
    return sorted(problems)


def documented_names(tree, folder):
    """The components that the README of a folder names in backquotes, some as patterns; `x.h`, `x.cc` and `x.*` name x."""
    readme = tree.root / folder / "README.md"
    text = readme.read_text() if readme.is_file() else ""
    return {re.sub(r"\.(?:h|cc|\*)$", "", name) for name in re.findall(r"`([\w./*]*\w[\w./*]*)`", text)}


def used_rooms(tree):
    """The rooms that the code of each room includes; tests do not count."""
    uses = {room: set() for room in tree.rooms.uses}
    for path, includes in tree.includes.items():
        room = tree.rooms.room_of(path)
        if room not in uses or is_test(path):
            continue
        for _, angled, quoted in includes:
            target = quoted.split("/")[0] if quoted else tree.rooms.public_headers.get(angled.removeprefix("tavola/"))
            if target and target != room:
                uses[room].add(target)
    return uses


def graph(tree):
    """Which room includes which, one room a line."""
    uses = used_rooms(tree)
    return [f"{room:9} → {' '.join(sorted(used, key=list(uses).index))}" for room, used in uses.items() if used]


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--graph"]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    if "--graph" in sys.argv:
        print("\n".join(graph(Tree(root))))
        return 0
    problems = check(root)
    print("\n".join(problems) if problems else "The rooms are in order.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
