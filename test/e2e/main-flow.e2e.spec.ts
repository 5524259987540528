import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSystem, type System } from '../support/index.js';

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());

describe('the main flow, from the outside', () => {
  it('holds for a client that knows nothing but HTTP', async () => {
    const script = join(import.meta.dirname, '../outside/main-flow.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, system.url]);
    expect(stdout).toMatch(/^(ok {2}.+\n){10}The main flow holds\.\n$/);
  });
});
