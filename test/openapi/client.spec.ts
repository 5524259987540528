import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { documentWithoutServers } from '#apps/api';
import { loadSettings } from '#libs/kernel/system';
import type { ApiDocument } from '../support/openapi.js';

/*
 * A client whose types are generated from the OpenAPI document, as docs/clients.md says: it compiles, and knows every operation.
 */

const root = join(import.meta.dirname, '../..');
const bin = (name: string): string => join(root, 'node_modules/.bin', name);
const run = promisify(execFile);

const OPTION = '--default-non-nullable=false';
const TSCONFIG = {
  compilerOptions: {
    ...{ target: 'es2024', lib: ['es2024', 'dom'], module: 'nodenext', types: [] },
    ...{ strict: true, noEmit: true, skipLibCheck: true },
  },
  files: ['program.ts'],
};

let folder: string;
let program: string;
let document: ApiDocument;

beforeAll(async () => {
  document = (await documentWithoutServers(loadSettings({}))) as unknown as ApiDocument;
  program = await readFile(join(import.meta.dirname, 'client/every-operation.ts'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-client-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  await run(bin('openapi-typescript'), [file, '--output', join(folder, 'schema.d.ts'), OPTION]);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the compiler says of a program; nothing if it compiles. */
async function faultsOf(text: string): Promise<string> {
  await writeFile(join(folder, 'program.ts'), text);
  return run(bin('tsc'), ['-p', folder]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

it('is made with the options, and called as docs/clients.md says', async () => {
  const docs = await readFile(join(root, 'docs/clients.md'), 'utf8');
  expect(/```bash generate\n(.*)\n```/.exec(docs)![1]).toContain(` ${OPTION}`);
  expect(await faultsOf(/```ts client\n([\s\S]*?)```/.exec(docs)![1]!)).toBe('');
});

it('compiles', async () => {
  expect(await faultsOf(program)).toBe('');
});

it('is used for every operation', () => {
  const used = [...program.matchAll(/\bapi\.([A-Z]+)\(\s*'([^']+)'/g)].map(
    ([, method, path]) => `${method} ${path}`,
  );
  const known = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...new Set(used)].toSorted()).toEqual(known.toSorted());
});

it.each([
  ['a field that there is not', "name: 'Northwind Ltd'", "nmae: 'Northwind Ltd'"],
  ['a value that is not in the list', "role: 'ingest'", "role: 'owner'"],
  ['a field of another pricing model', "{ model: 'flat', amount: 25,", "{ model: 'flat', unitPrice: 25,"],
  ['an amount as text', 'amountOff: 5', "amountOff: '5'"],
])('does not compile with %s', async (_, right, wrong) => {
  expect(program).toContain(right);
  expect(await faultsOf(program.replace(right, wrong))).toMatch(/program\.ts\(\d+,\d+\): error/);
});
