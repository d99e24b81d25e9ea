"""What others know of French, for the tests: Debian's hunspell dictionary and verbiste's conjugations."""

import subprocess

# verbiste has six persons; the grammar has no "vous".
PERSONS = (0, 1, 2, 3, 5)
TENSES = {
    "present": "indicative present",
    "imparfait": "indicative imperfect",
    "future": "indicative future",
    "conditional": "conditional present",
}


def _run(command: list[str], typed: str = "") -> str:
    """What the command prints."""
    try:
        done = subprocess.run(command, input=typed, text=True, capture_output=True, check=True)
    except FileNotFoundError as error:
        message = f"{command[0]} is missing; this installs it: node scripts/setup.mjs --grammar"
        raise RuntimeError(message) from error
    return done.stdout


def unknown_to_hunspell(words: list[str]) -> list[str]:
    """The words that hunspell's French dictionary does not have."""
    lines = "\n".join(words) + "\n"
    return _run(["hunspell", "-d", "fr_FR", "-i", "utf-8", "-l"], lines).split()


def conjugations(infinitives: list[str]) -> dict[str, dict[str, list[list[str]]]]:
    """By infinitive and mood: the forms of every person, most often one."""
    text = _run(["french-conjugator", *infinitives])
    verbs: list[dict[str, list[list[str]]]] = []
    heading = ""
    for line in text.splitlines():
        if line.startswith("- "):
            heading = line[2:].rstrip(":")
            if heading == "infinitive present":
                verbs.append({})
            verbs[-1][heading] = []
        elif verbs and line != "-":
            verbs[-1][heading].append(line.split(", "))
    return dict(zip(infinitives, verbs, strict=True))
