/** The files that a visitor drops, those of a folder included. */

/** Calls back with what is dropped on an element, which shows with the class `over` that it takes it. */
export function acceptDrops(zone: HTMLElement, onFiles: (files: File[]) => void): void {
  for (const [name, isOver] of [
    ['dragover', true],
    ['dragleave', false],
    ['drop', false],
  ] as const) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.toggle('over', isOver);
    });
  }
  zone.addEventListener('drop', (event) => {
    if (event.dataTransfer) void droppedFiles(event.dataTransfer).then(onFiles);
  });
}

async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const files = await Promise.all(entries.map(filesOf));
  return files.flat();
}

/** A file, or the files of a folder without its subfolders: a checkpoint has none that are needed. */
async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await fileOf(entry as FileSystemFileEntry)];
  const inside = await entriesOf((entry as FileSystemDirectoryEntry).createReader());
  return Promise.all(
    inside.filter(({ isFile }) => isFile).map((file) => fileOf(file as FileSystemFileEntry)),
  );
}

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => {
    entry.file(resolve, reject);
  });

/** A reader gives the entries in portions, the last of them empty. */
async function entriesOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (portion.length === 0) return entries;
    entries.push(...portion);
  }
}
