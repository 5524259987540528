import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { documentWithoutServers } from '#apps/api';
import { loadSettings } from '#libs/kernel/system';
import { exampleOf, type ApiDocument, type ApiOperation } from '../support/openapi.js';

/*
 * A client whose types are generated from the OpenAPI document, as docs/clients.md says: it compiles for each operation.
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
  program = await readFile(join(import.meta.dirname, 'client/operations.ts'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-client-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  await run(bin('openapi-typescript'), [file, '--output', join(folder, 'schema.d.ts'), OPTION]);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('is made with the options, and called as docs/clients.md says', async () => {
  const docs = await readFile(join(root, 'docs/clients.md'), 'utf8');
  expect(/```bash generate\n(.*)\n```/.exec(docs)![1]).toContain(` ${OPTION}`);
  expect(await faultsOf(/```ts client\n([\s\S]*?)```/.exec(docs)![1]!)).toBe('');
});

it('compiles', async () => {
  expect(await faultsOf(program)).toBe('');
});

it('compiles with a call of each operation, with the example of its body', async () => {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => callOf(method, path, operation)),
  );
  expect(calls.length).toBeGreaterThan(100);
  const start = program.slice(0, program.indexOf('async function'));
  expect(await faultsOf(`${start}\n${calls.join('\n')}\n`)).toBe('');
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

/** What the compiler says of a program; nothing if it compiles. */
async function faultsOf(text: string): Promise<string> {
  await writeFile(join(folder, 'program.ts'), text);
  return run(bin('tsc'), ['-p', folder]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

/** A call of an operation, with all that it requires and its body as the document shows it. */
function callOf(method: string, path: string, operation: ApiOperation): string {
  const parameters = (operation.parameters ?? []).map((one) =>
    one.$ref ? document.components.parameters[one.$ref.replace('#/components/parameters/', '')]! : one,
  );
  const named = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && one.required)
        .map(({ name, schema }) => [name, exampleOf(schema, document)]),
    );
  const places = ['path', 'query', 'header'].map((place) => [place, named(place)] as const);
  const params = Object.fromEntries(places.filter(([, values]) => Object.keys(values).length > 0));
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const options = {
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(content?.schema ? { body: content.example ?? exampleOf(content.schema, document) } : {}),
    ...(type === undefined || type === 'application/json' ? {} : { headers: { 'Content-Type': type } }),
  };
  return `await api.${method.toUpperCase()}(${JSON.stringify(path)}, ${JSON.stringify(options)});`;
}
