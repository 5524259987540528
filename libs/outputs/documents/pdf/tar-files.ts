const BLOCK = 512;

/** The files of an uncompressed tar archive, by path. The function works only for archives of plain files with short names. */
export function* filesOfTar(archive: Buffer): Generator<{ path: string; content: Buffer }> {
  let offset = 0;
  while (offset + BLOCK <= archive.length && archive[offset] !== 0) {
    const field = (start: number, length: number) =>
      archive.toString('latin1', offset + start, offset + start + length).split('\0')[0]!;
    const size = Number.parseInt(field(124, 12), 8);
    const content = offset + BLOCK;
    yield { path: field(0, 100), content: archive.subarray(content, content + size) };
    offset = content + Math.ceil(size / BLOCK) * BLOCK;
  }
}
