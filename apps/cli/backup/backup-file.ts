import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CliError } from '../cli-error.js';
import { tryParseJson } from '../json-text.js';
import { productVersion } from '../product-version.js';
import type { ArchivePart } from './archive-writer.js';
import {
  BACKUP_FORMAT,
  MANIFEST_FILE,
  MANIFEST_CHECKSUM_FILE,
  tableFileName,
  SECRETS_FILE,
  type BackupManifest,
} from './manifest.js';
import { isEndOfTar, paddingOf, readTarHeader, TAR_BLOCK } from './tar.js';

/** The largest accepted manifest, in bytes. The manifest is read into memory, and has one entry for each table. */
const MAX_MANIFEST = 16 * 1024 * 1024;

const END_MISSING = 'it is incomplete: its end is missing';

interface ArchiveRange {
  readonly offset: number;
  readonly size: number;
}

/** A backup file that was opened for reading. */
export class BackupFile {
  private constructor(
    readonly path: string,
    readonly manifest: BackupManifest,
    /** The size of the file in bytes. */
    readonly size: number,
    private readonly places: ReadonlyMap<string, ArchiveRange>,
  ) {}

  /**
   * Opens a backup and reads its manifest. Throws a {@link CliError} if the file is missing or incomplete, if its manifest is damaged, or
   * if the backup has a later format. `verify` checks the other parts.
   */
  static async open(path: string): Promise<BackupFile> {
    const file = await open(path, 'r').catch((error: Error) => {
      throw new CliError(`${path} cannot be read: ${error.message}`);
    });
    try {
      const places = await findArchiveFiles(file, path);
      const { size } = await file.stat();
      const backup = new BackupFile(path, await readManifest(path, places), size, places);
      backup.requireKnownFiles();
      return backup;
    } finally {
      await file.close();
    }
  }

  /** The size of all parts together, in bytes. */
  get sizeOfParts(): number {
    return this.parts.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  }

  /** The number of rows of all tables together. */
  get rowCount(): number {
    return this.manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
  }

  /**
   * Reads the whole backup and compares each part with its checksum. Throws a {@link CliError} that names the first part whose checksum
   * differs. Rejects with the signal's reason if `signal` is aborted.
   *
   * @param read is called with the number of bytes and parts that were read so far
   */
  async verify(read: (bytes: number, parts: number) => void, signal: AbortSignal): Promise<void> {
    let bytes = 0;
    for (const [index, [name, part]] of this.parts.entries()) {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of this.stream(name) as AsyncIterable<Buffer>) {
        signal.throwIfAborted();
        hash.update(chunk);
        size += chunk.length;
        read(bytes + size, index);
      }
      bytes += size;
      if (size !== part.bytes || hash.digest('hex') !== part.sha256)
        throw damagedError(this.path, `${name} does not match its checksum`);
    }
  }

  /** Returns the rows of a table, still compressed with gzip. */
  tableStream(table: string): Readable {
    return this.stream(tableFileName(table));
  }

  /** Returns the key that signs access tokens, if the backup contains it. */
  async jwtSecret(): Promise<string | undefined> {
    if (!this.manifest.secrets) return undefined;
    const text = (await buffer(this.stream(SECRETS_FILE))).toString();
    return (JSON.parse(text) as { jwtSecret: string }).jwtSecret;
  }

  private requireKnownFiles(): void {
    const known = new Set([MANIFEST_FILE, MANIFEST_CHECKSUM_FILE, ...this.parts.map(([name]) => name)]);
    const other = [...this.places.keys()].find((name) => !known.has(name));
    if (other !== undefined)
      throw damagedError(this.path, `it contains the unknown file ${JSON.stringify(other)}`);
  }

  private get parts(): (readonly [name: string, ArchivePart])[] {
    const { tables, secrets } = this.manifest;
    return [
      ...tables.map((table) => [tableFileName(table.name), table] as const),
      ...(secrets ? [[SECRETS_FILE, secrets] as const] : []),
    ];
  }

  private stream(name: string): Readable {
    const place = this.places.get(name);
    if (!place) throw damagedError(this.path, `it has no ${name}`);
    return readRange(this.path, place);
  }
}

/** Finds the files in an archive. The manifest and its checksum are the last two files, so a truncated archive does not have both. */
async function findArchiveFiles(file: FileHandle, path: string): Promise<Map<string, ArchiveRange>> {
  const places = new Map<string, ArchiveRange>();
  const header = Buffer.alloc(TAR_BLOCK);
  for (let offset = 0; ;) {
    const { bytesRead } = await file.read(header, 0, TAR_BLOCK, offset).catch((error: Error) => {
      throw new CliError(`${path} cannot be read: ${error.message}`);
    });
    if (bytesRead < TAR_BLOCK || isEndOfTar(header)) return places;
    const entry = readTarHeader(header);
    if (!entry) {
      if (places.size === 0) throw new CliError(`${path} is not a backup of Countinghouse`);
      throw damagedError(path, `its content at byte ${offset} cannot be read`);
    }
    offset += TAR_BLOCK;
    if (offset + entry.size > (await file.stat()).size) throw damagedError(path, END_MISSING);
    places.set(entry.name, { offset, size: entry.size });
    offset += entry.size + paddingOf(entry.size);
  }
}

async function readManifest(
  path: string,
  places: ReadonlyMap<string, ArchiveRange>,
): Promise<BackupManifest> {
  const [place, checksum] = [places.get(MANIFEST_FILE), places.get(MANIFEST_CHECKSUM_FILE)];
  if (!place || !checksum) throw damagedError(path, END_MISSING);
  if (place.size > MAX_MANIFEST || checksum.size > MAX_MANIFEST)
    throw damagedError(path, `${MANIFEST_FILE} is too large`);
  const text = await buffer(readRange(path, place));
  const expected = (await buffer(readRange(path, checksum))).toString().trim();
  if (createHash('sha256').update(text).digest('hex') !== expected)
    throw damagedError(path, `${MANIFEST_FILE} does not match its checksum`);
  const manifest = tryParseJson(text.toString());
  if (!isManifest(manifest))
    throw damagedError(path, `${MANIFEST_FILE} does not have the fields of a backup`);
  if (manifest.format > BACKUP_FORMAT)
    throw new CliError(
      `${path} was made by Countinghouse ${manifest.version}, which is newer than this program (${await productVersion()}); restore it with ` +
        'that version or a newer one',
    );
  return manifest;
}

/** Tells whether a value has the lists of a manifest. The contents of the lists are not checked again, because the checksum covers them. */
function isManifest(value: unknown): value is BackupManifest {
  if (typeof value !== 'object' || value === null) return false;
  const { format, migrations, logMigrations, tables, partitions, sequences } =
    value as Partial<BackupManifest>;
  return (
    Number.isInteger(format) &&
    [migrations, logMigrations, tables, partitions, sequences].every((list) => Array.isArray(list))
  );
}

function readRange(path: string, { offset, size }: ArchiveRange): Readable {
  return size === 0
    ? Readable.from([])
    : createReadStream(path, { start: offset, end: offset + size - 1, highWaterMark: 1 << 20 });
}

const damagedError = (path: string, what: string): CliError =>
  new CliError(`${path} is damaged: ${what}; use another copy of it, or another backup`);
