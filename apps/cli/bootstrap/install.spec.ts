import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isInstalled } from './install.mjs';

type Packages = Record<string, object>;

const one = { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' } };
const ours = { os: [process.platform], cpu: [process.arch] };

describe('isInstalled', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'install-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const write = async (path: string, content: object) => {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(content));
  };

  /** Returns the result for these packages in the lock file, in npm's list, and on the disk. */
  const isSo = async (wanted: Packages, noted: Packages, onDisk = Object.keys(noted)) => {
    await write('package-lock.json', { packages: { '': { name: 'root' }, ...wanted } });
    await write('node_modules/.package-lock.json', { packages: noted });
    for (const path of onDisk) await write(`${path}/package.json`, {});
    return isInstalled(folder);
  };

  it('is true if all packages of the lock file are there', async () => {
    expect(await isSo(one, one)).toBe(true);
  });

  it.each([
    ['of an older lock file', { 'node_modules/one': { version: '0.9.0', integrity: 'sha512-one' } }],
    ['of another source', { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-other' } }],
    ['without a package that was added', {}],
  ])('is not so of packages %s', async (_, noted: Packages) => {
    expect(await isSo(one, noted)).toBe(false);
  });

  it('is false if a package is missing on the disk, even if npm lists it', async () => {
    expect(await isSo(one, one, [])).toBe(false);
  });

  it('is false if nothing was installed', async () => {
    await write('package-lock.json', { packages: one });
    expect(await isInstalled(folder)).toBe(false);
  });

  it.each<[string, object, boolean]>([
    ['for another system', { optional: true, os: ['plan9'] }, true],
    ['for another processor', { optional: true, os: [process.platform], cpu: 'pdp11' }, true],
    ['for every system but this', { optional: true, os: [`!${process.platform}`] }, true],
    ['for another C library', { optional: true, ...ours, libc: ['musl'] }, true],
    ['that serves such a one', { optional: true }, true],
    ['for this platform', { optional: true, ...ours }, false],
    ['for every system but another', { optional: true, os: ['!plan9'] }, false],
  ])('allows for a package %s to be left out: %j %s', async (_, added, isAllowed) => {
    expect(await isSo({ ...one, 'node_modules/native': { version: '1.0.0', ...added } }, one)).toBe(
      isAllowed,
    );
  });
});
