import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { loadSettings } from '#libs/kernel/system';
import { findChrome } from '../../libs/outputs/documents/pdf/chrome.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { MailServer } from '../support/mail-server.js';
import { Transcript } from '../support/transcript.js';
import { environmentOf, instructionsOf, lastOf, stagesOf } from './dockerfile.js';
import { ImageFolders } from './image.js';
import { setAddressProved } from '../support/proved-address.js';

/*
 * What the images contain, without an engine that builds them: the files that the Dockerfile names, in folders of their own, with
 * production packages alone. The programs run there with the environment of their images.
 */

const root = process.cwd();
const stages = stagesOf(readFileSync(join(root, 'docker/Dockerfile'), 'utf8'));
const ignored = readFileSync(join(root, 'docker/Dockerfile.dockerignore'), 'utf8').split('\n');

let folder: string;
let images: ImageFolders;
let database: TestDatabase;
let mail: MailServer;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countinghouse-images-'));
  images = new ImageFolders(stages, ignored, folder);
  [database, mail] = await Promise.all([createMigratedDatabase(), MailServer.start()]);
});
afterEach(async () => {
  for (const child of processes.splice(0).reverse()) {
    if (child.exitCode !== null) continue;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }
});
afterAll(async () => {
  await mail?.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** The settings that the image and compose.yaml give, those of this machine in their place. */
async function settingsOf(target: string, more: Record<string, string>): Promise<Record<string, string>> {
  return {
    PATH: process.env['PATH']!,
    ...environmentOf(instructionsOf(stages, target)),
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_HOST: '127.0.0.1',
    OPS_PORT: '0',
    JWT_SECRET: 'a secret of this test, which is long enough',
    LOG_LEVEL: 'warn',
    DRAIN_MS: '0',
    MAIL_URL: mail.url,
    MAIL_FROM: 'Billing <billing@example.com>',
    // Debian's Chromium is installed by the Dockerfile; a machine without Docker has the one of npm.
    CHROME_PATH: resolve(await findChrome(loadSettings(process.env))),
    ...more,
  };
}

/** The command of an image: node and its arguments. */
function commandOf(target: string): string[] {
  const instructions = instructionsOf(stages, target);
  return JSON.parse(lastOf(instructions, 'ENTRYPOINT') ?? lastOf(instructions, 'CMD')!) as string[];
}

/** Starts the program of an image in the image's folder. Resolves when it listens. */
async function start(
  target: string,
  more: Record<string, string>,
): Promise<{ port: number; ready: () => Promise<Response> }> {
  const [cwd, env] = [await images.make(target), await settingsOf(target, more)];
  const child = spawn(process.execPath, commandOf(target).slice(1), { cwd, env });
  processes.push(child);
  const output = new Transcript();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.add(chunk.toString()));
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${target} ended: ${output.text}`);
  });
  ended.catch(() => undefined);
  await Promise.race([output.until('"event":"listening"'), ended]);
  const line = output.text.split('\n').find((one) => one.includes('"event":"listening"'))!;
  const { port, opsPort } = JSON.parse(line) as { port: number; opsPort: number };
  return { port, ready: () => fetch(`http://127.0.0.1:${opsPort}/ready`) };
}

/** What `/ready` says of documents, when Chromium has started or failed to start. */
async function printingOf(ready: () => Promise<Response>): Promise<unknown> {
  for (;;) {
    const { checks } = (await (await ready()).json()) as { checks: { documents?: { message?: string } } };
    if (checks.documents && !checks.documents.message?.startsWith('no answer')) return checks.documents;
  }
}

describe('the folder of an image', () => {
  it('has production packages alone, and no Chromium of npm', async () => {
    const image = await images.make('api');
    const { dependencies } = JSON.parse(readFileSync(join(image, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const isThere = (name: string): boolean => existsSync(join(image, 'node_modules', name, 'package.json'));
    expect(Object.keys(dependencies).filter((name) => !isThere(name))).toEqual([]);
    const tools = ['jest', 'typescript', 'esbuild', '@swc/core', 'eslint', 'oidc-provider', 'smtp-server'];
    expect(tools.filter(isThere)).toEqual([]);
    expect(existsSync(join(image, 'node_modules/@sparticuz/chromium/bin/chromium.br'))).toBe(false);
  });

  it('has the commands of operators', async () => {
    const run = async (...args: string[]) =>
      promisify(execFile)(process.execPath, [...commandOf('cli').slice(1), ...args], {
        cwd: await images.make('cli'),
        env: await settingsOf('cli', { DATABASE_URL: database.url }),
      });
    const { stdout } = await run('migrate');
    expect(stdout).toContain('up to date');
  });
});

describe('the programs of the images', () => {
  it('send an invoice with its PDF by mail, and say that they can print', async () => {
    const { port } = await start('eventstore', {
      DATABASE_URL: database.urlAs('eventStore'),
      EVENTSTORE_PORT: '0',
    });
    const EVENTSTORE_URL = `esdb://127.0.0.1:${port}?tls=false`;
    const app = { DATABASE_URL: database.urlAs('app'), EVENTSTORE_URL };
    const [saga, api] = await Promise.all([
      start('saga', app),
      start('api', app),
      start('projector', { DATABASE_URL: database.urlAs('projector'), EVENTSTORE_URL }),
    ]);
    // Said before a mail is waited for, which would stay pending.
    for (const { ready } of [saga, api]) expect(await printingOf(ready)).toEqual({ status: 'ok' });
    const url = `http://127.0.0.1:${api.port}`;
    let token = '';
    const send = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as Record<string, unknown>;
    };
    const { tokens } = await send('POST', '/v1/auth/register', {
      email: 'me@example.com',
      password: 'a long enough password',
      name: 'Me',
      companyName: 'Me',
    });
    token = (tokens as { accessToken: string }).accessToken;
    await setAddressProved(database, 'me@example.com');
    await send('PUT', '/v1/billing-settings', { sandboxEmailAllowlist: ['ada@example.com'] });
    const customer = await send('POST', '/v1/customers', { name: 'Ada', email: 'ada@example.com' });
    const lines = [{ description: 'Setup', unitPrice: 20 }];
    const invoice = await send('POST', '/v1/invoices', {
      customerId: customer['id'],
      lines,
      currency: 'USD',
    });
    const { raw } = await mail.next('ada@example.com');
    expect(raw).toMatch(/Content-Type: application\/pdf; name=INV-000001\.pdf/);
    // "%PDF-" in base64.
    expect(raw).toContain('\r\n\r\nJVBERi');
    const pdf = await fetch(`${url}/v1/invoices/${String(invoice['id'])}/pdf`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect((await pdf.text()).slice(0, 5)).toBe('%PDF-');
  });
});
