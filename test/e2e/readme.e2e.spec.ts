import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { settingSpecs } from '#libs/kernel/system';
import { startSystem, type System } from '../support/index.js';

const readme = (): Promise<string> => readFile(join(import.meta.dirname, '../../README.md'), 'utf8');

describe('the README', () => {
  it('lists every setting with its default and its description', async () => {
    const rows = [...(await readme()).matchAll(/^\| `([A-Z_]+)` +\| (?:`([^`]*)`|–) +\| (.*?) +\|$/gm)].map(
      ([, name, fallback, description]) => ({ name, fallback, description }),
    );
    expect(rows).toEqual(
      Object.values(settingSpecs).map(({ name, fallback, description }) => ({ name, fallback, description })),
    );
  });

  it('names folders that are there', async () => {
    const section = (await readme()).split('## Where things are')[1]!;
    const folders = [...section.matchAll(/`((?:apps|libs|projections|test)[a-z/-]*)`/g)].map(
      ([, folder]) => folder!,
    );
    expect(folders.length).toBeGreaterThan(10);
    for (const folder of folders) await readdirOf(folder.replace(/\/$/, ''));
  });
});

async function readdirOf(folder: string): Promise<void> {
  expect([folder, (await readdir(join(import.meta.dirname, '../..', folder))).length]).toEqual([
    folder,
    expect.any(Number),
  ]);
}

describe('with an instance', () => {
  let system: System;
  let out: string;

  beforeAll(async () => {
    system = await startSystem();
    out = await mkdtemp(join(tmpdir(), 'countinghouse-readme-'));
  });
  afterAll(async () => {
    await system?.stop();
    await rm(out, { recursive: true, force: true });
  });

  it('comes to 23.75 in its first invoice by hand, paid, with a PDF', async () => {
    const script = /```bash first-invoice\n([\s\S]*?)```/.exec(await readme())![1]!;
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      env: { ...process.env, API: system.url, OUT: out },
    });
    const invoice = /\{"id":"inv_[^\n]*?"total":23\.75/.exec(stdout);
    expect(invoice).not.toBeNull();
    expect(stdout).toContain('"status":"paid"');
    expect((await readFile(join(out, 'invoice.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('has no endpoint that the README says is not there yet', async () => {
    const section = (await readme()).split('## Not there yet')[1]!.split('\n## ')[0]!;
    const named = [...section.matchAll(/`(\/v1\/[^`]+)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(15);
    const { paths } = (await (await fetch(`${system.url}/v1/openapi.json`)).json()) as { paths: object };
    const there = Object.keys(paths);
    expect(there).toContain('/v1/customers/{id}');
    expect(there.filter((path) => named.some((one) => path === one || path.startsWith(`${one}/`)))).toEqual(
      [],
    );
  });
});
