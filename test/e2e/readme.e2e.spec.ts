import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSystem, type System } from '../support/index.js';

const readme = (): Promise<string> => readFile(join(import.meta.dirname, '../../README.md'), 'utf8');

describe('the README', () => {
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
});
