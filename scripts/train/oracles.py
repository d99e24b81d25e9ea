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


def unknown_to_hunspell(words: list[str]) -> list[str]:
    """The words that hunspell's French dictionary does not have."""
    lines = "\n".join(words) + "\n"
    command = ["hunspell", "-d", "fr_FR", "-i", "utf-8", "-l"]
    return subprocess.run(command, input=lines, text=True, capture_output=True, check=True).stdout.split()


def conjugations(infinitives: list[str]) -> dict[str, dict[str, list[list[str]]]]:
    """By infinitive and mood: the forms of every person, most often one."""
    command = ["french-conjugator", *infinitives]
    text = subprocess.run(command, text=True, capture_output=True, check=True).stdout
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
