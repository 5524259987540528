const BLOCK = 512;
const SIZE_DIGITS = 11;
const LARGEST_OCTAL = 8 ** SIZE_DIGITS - 1;

/** The name and the size of a file in a tar archive. */
export interface TarEntry {
  readonly name: string;
  /** The size of the file's content in bytes. */
  readonly size: number;
}

/** The size of a header in bytes. File contents are padded to a multiple of the header size. */
export const TAR_BLOCK = BLOCK;

/** Returns the number of zero bytes that follow a file content of this size. */
export const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/**
 * Returns the POSIX ustar header of a file that only its owner can read (https://www.gnu.org/software/tar/manual/html_node/Standard.html).
 * A size of 8 GiB or more is written in GNU tar's binary form.
 *
 * @param name at most 100 bytes
 * @param modifiedSeconds the time of the last change, in seconds since the Unix epoch
 */
export function tarHeader({ name, size }: TarEntry, modifiedSeconds: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  if (size <= LARGEST_OCTAL) header.write(`${octal(size, SIZE_DIGITS)}\0`, 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write(`${octal(modifiedSeconds, SIZE_DIGITS)}\0`, 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148);
  return header;
}

/** Reads a header. Returns undefined if the bytes are not a valid header. */
export function readTarHeader(header: Buffer): TarEntry | undefined {
  const checksum = Number.parseInt(header.toString('latin1', 148, 154), 8);
  if (header.length !== BLOCK || checksum !== checksumOf(header)) return undefined;
  const end = header.indexOf(0);
  const size = sizeIn(header);
  return Number.isSafeInteger(size)
    ? { name: header.toString('utf8', 0, Math.min(end, 100)), size }
    : undefined;
}

/** Returns the file size from a header, or NaN if the size has neither of the two forms that {@link tarHeader} writes. */
function sizeIn(header: Buffer): number {
  if (header[124] === 0x80) return Number(header.readBigUInt64BE(128));
  const digits = header.toString('latin1', 124, 124 + SIZE_DIGITS);
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

/** Tells whether a block is one of the zero blocks that end an archive. */
export const isEndOfTar = (header: Buffer): boolean => header.every((byte) => byte === 0);

/** Returns the sum of the header's bytes. The bytes of the checksum field itself are treated as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (let i = 0; i < header.length; i++) sum += i >= 148 && i < 156 ? 0x20 : header[i]!;
  return sum;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
