import { crc32, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/**
 * The maximum width and height of a logo in pixels. The limit is needed because a browser uses four bytes of memory for each pixel. A small
 * file could otherwise fill the memory.
 */
const MAX_SIDE = 2_000;
const MAX_PIXELS = 1_000_000;
/** The size in bytes of the length, type and checksum of a chunk. */
const CHUNK_FRAME = 12;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** Returns the reason why the bytes are not an acceptable PNG (ISO/IEC 15948). Null if the PNG is acceptable. */
export function pngProblem(bytes: Buffer): string | null {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE))
    return 'is not a PNG; export it again as a PNG or SVG';
  const chunks = chunksOf(bytes);
  const [head] = chunks ?? [];
  if (!chunks || head?.type !== 'IHDR' || head.data.length !== 13 || chunks.at(-1)?.type !== 'IEND')
    return 'is a damaged PNG; export it again';
  if (chunks.some(({ type }) => type === 'acTL')) return 'is an animated PNG; export one picture of it';
  const [width, height] = [head.data.readUInt32BE(0), head.data.readUInt32BE(4)];
  if (width === 0 || height === 0 || width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS)
    return `is ${width} × ${height} pixels; make it at most ${MAX_SIDE} in each direction and ${MAX_PIXELS} in all`;
  return canDecompress(chunks, maxPixelBytes(width, height)) ? null : 'is a damaged PNG; export it again';
}

/** The chunks of a PNG. The result is undefined if a chunk is incomplete or has a wrong checksum, or if bytes follow the last chunk. */
function chunksOf(bytes: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = [];
  let offset = SIGNATURE.length;
  while (offset + CHUNK_FRAME <= bytes.length) {
    const end = offset + CHUNK_FRAME + bytes.readUInt32BE(offset);
    if (end > bytes.length) return undefined;
    const named = bytes.subarray(offset + 4, end - 4);
    if (crc32(named) !== bytes.readUInt32BE(end - 4)) return undefined;
    const type = named.toString('latin1', 0, 4);
    chunks.push({ type, data: named.subarray(4) });
    offset = end;
    if (type === 'IEND') break;
  }
  return offset === bytes.length ? chunks : undefined;
}

/**
 * The maximum number of bytes of decompressed pixels: 16 bits for each of four channels. Each row of pixels needs up to two more bytes, for
 * its filter and an incomplete byte. Interlacing can double the number of pixel rows.
 */
function maxPixelBytes(width: number, height: number): number {
  return width * height * 8 + height * 4 + 64;
}

function canDecompress(chunks: readonly Chunk[], maxOutputLength: number): boolean {
  const packed = Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : [])));
  try {
    return inflateSync(packed, { maxOutputLength }).length > 0;
  } catch {
    return false;
  }
}
