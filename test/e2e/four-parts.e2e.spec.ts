import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '#apps/cli';
import { startSystem, type System } from '../support/index.js';

let system: System;
/** The ports of the mailbox and of the DNS zone, which the script serves. */
let ports: [string, string];
beforeAll(async () => {
  ports = [String(await findFreePort()), String(await findFreePort())];
  system = await startSystem({
    MAIL_URL: `smtp://127.0.0.1:${ports[0]}`,
    MAIL_FROM: 'Countinghouse <billing@example.com>',
    SSO_DNS_SERVERS: `127.0.0.1:${ports[1]}`,
  });
});
afterAll(async () => system?.stop());

describe('users, approvals, the portal and an erasure, from the outside', () => {
  it('hold for a customer that has a mailbox and an identity provider, and knows nothing but HTTP', async () => {
    const script = join(import.meta.dirname, '../outside/four-parts.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, system.url, ...ports]);
    expect(stdout).toMatch(/^(ok {2}.+\n){8}The four parts hold\.\n$/);
  });
});
