"""Digits of printed type: which of Debian's fonts are learned, which are held out, and their glyphs.

A family is a Debian package, or packages of one descent: what is held out shares no outline with what is learned.
"""

from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FONTS = Path("/usr/share/fonts")

LEARNED = {
    "fonts-dejavu-core": ["DejaVu*"],
    "fonts-dejavu-extra": [],  # found by the line above
    "fonts-hack": ["Hack-*"],
    "fonts-liberation": ["Liberation*"],
    "fonts-freefont-ttf": ["Free*"],
    "fonts-open-sans": ["OpenSans-*"],
    "fonts-roboto-unhinted": ["Roboto-*", "RobotoCondensed-*"],
    "fonts-roboto-slab": ["RobotoSlab-*"],
    "fonts-cantarell": ["Cantarell-*"],
    "fonts-quicksand": ["Quicksand-*"],
    "fonts-comfortaa": ["Comfortaa-*"],
    "fonts-inconsolata": ["Inconsolata*"],
    "fonts-firacode": ["FiraCode-*"],
    "fonts-go": ["Go-*"],
    "fonts-b612": ["B612*"],
    "fonts-karla": ["Karla-*.otf"],
    "fonts-cabin": ["Cabin-*"],
    "fonts-dkg-handwriting": ["dkg*"],
    "fonts-humor-sans": ["Humor*"],
    "fonts-ecolier-court": ["Ecolier*"],
    "fonts-yusei-magic": ["Yusei*"],
    "fonts-sjfonts": ["Delphine*", "SteveHand*"],
    "fonts-rufscript": ["Rufscript*"],
    "fonts-dancingscript": ["DancingScript-*"],
    "fonts-averia-sans-gwf": ["AveriaSans*"],
    "fonts-crosextra-caladea": ["Caladea-*"],
    "fonts-sil-gentium-basic": ["GenB*"],
    "fonts-osifont": ["osifont*"],
    "fonts-routed-gothic": ["routed-gothic*"],
    "fonts-play": ["Play-*"],
    "fonts-oxygen": ["Oxygen*"],
    "fonts-gfs-neohellenic": ["GFSNeohellenic*"],
    "fonts-fantasque-sans": ["FantasqueSansMono-*.otf"],
    "fonts-opendyslexic": ["OpenDyslexic*"],
    "fonts-tomsontalks": ["TomsonTalks*"],
}

HELD_OUT = {
    "fonts-lato": ["Lato-*"],
    "fonts-crosextra-carlito": ["Carlito-*"],
    "fonts-dosis": ["Dosis-*"],
    "fonts-comic-neue": ["ComicNeue-*"],
    "fonts-breip": ["Breip*"],
    "fonts-kaushanscript": ["KaushanScript-*"],
    "fonts-sil-andika": ["Andika-*"],
    "fonts-opendin": ["OSP-DIN*"],
    "fonts-jura": ["Jura-*"],
    "fonts-tuffy": ["tuffy_*"],
    "fonts-gfs-didot": ["GFSDidot*"],
    "fonts-ocr-b": ["OCRB.*"],
    "fonts-manrope": ["Manrope-*"],
    "fonts-ebgaramond": ["EBGaramond12*"],
    "fonts-kristi": ["Kristi*"],
}

SIZE = 84  # of a glyph's em while it is drawn


def faces(families: dict[str, list[str]]) -> list[list[Path]]:
    """The files of each family, so that a family of twenty faces is seen no more often than one of a single face."""
    found = []
    for package, patterns in families.items():
        files = {file.name: file for pattern in patterns for file in sorted(FONTS.rglob(pattern))}
        fonts = [file for name, file in sorted(files.items()) if name.endswith((".ttf", ".otf"))]
        if patterns and not fonts:
            raise SystemExit(f"{package} is not installed (apt-get install {package})")
        if fonts:
            found.append(fonts)
    return found


@cache
def glyph(face: Path, digit: int) -> Image.Image:
    """The digit cut out: light ink on black."""
    font = ImageFont.truetype(str(face), SIZE)
    image = Image.new("L", (3 * SIZE, 3 * SIZE))
    ImageDraw.Draw(image).text((SIZE, SIZE), str(digit), fill=255, font=font)
    return image.crop(image.getbbox())


if __name__ == "__main__":
    print(*LEARNED, *HELD_OUT)
