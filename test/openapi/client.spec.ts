import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocumentWithoutDatabases } from '#apps/api';
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
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

/** What must not compile: what is wrong, and how the program comes to it. */
const WRONG = [
  ['a field that there is not', "name: 'Northwind Ltd'", "nmae: 'Northwind Ltd'"],
  ['a value that is not in the list', "role: 'ingest'", "role: 'owner'"],
  ['a field of another pricing model', "{ model: 'flat', amount: 25,", "{ model: 'flat', unitPrice: 25,"],
  ['an amount as text', 'amountOff: 5', "amountOff: '5'"],
] as const;

let folder: string;
let program: string;
let docs: string;
let calls: string[];
let document: ApiDocument;
/** What the compiler says of all the programs. */
let faults: string[];

// One compilation of all programs, since each reads the types of the whole document.
beforeAll(async () => {
  document = (await openApiDocumentWithoutDatabases(loadSettings({}))) as unknown as ApiDocument;
  program = await readFile(join(import.meta.dirname, 'client/operations.ts'), 'utf8');
  docs = await readFile(join(root, 'docs/clients.md'), 'utf8');
  calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => callOf(method, path, operation)),
  );
  const start = program.slice(0, program.indexOf('async function'));
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-client-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  await run(bin('openapi-typescript'), [file, '--output', join(folder, 'schema.d.ts'), OPTION]);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const programs: Record<string, string> = {
    program,
    docs: /```ts client\n([\s\S]*?)```/.exec(docs)![1]!,
    calls: `${start}\n${calls.join('\n')}\n`,
    ...Object.fromEntries(WRONG.map(([, right, wrong], n) => [`wrong${n}`, program.replace(right, wrong)])),
  };
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, `${name}.ts`), text);
  const said = await run(bin('tsc'), ['-p', '.'], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  // What belongs to a fault is indented below it.
  faults = said.split(/^(?=\S)/m);
}, 480_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it('is made with the options, and called as docs/clients.md says', () => {
  expect(/```bash generate\n(.*)\n```/.exec(docs)![1]).toContain(` ${OPTION}`);
  expect(faultsOf('docs')).toEqual([]);
});

it('compiles', () => {
  expect(faultsOf('program')).toEqual([]);
});

it('compiles with a call of each operation, with the example of its body', () => {
  expect(calls.length).toBeGreaterThan(100);
  expect(faultsOf('calls')).toEqual([]);
});

it.each(WRONG.map(([what, right], n) => [what, right, `wrong${n}`]))(
  'does not compile with %s',
  (_, right, name) => {
    expect(program).toContain(right);
    expect(faultsOf(name)).not.toEqual([]);
  },
);

it('has no other faults', () => {
  const known = /^(docs|program|calls|wrong\d)\.ts\(\d+,\d+\): error/;
  expect(faults.filter((fault) => !known.test(fault))).toEqual([]);
});

/** What the compiler says of one program; nothing if it compiles. */
function faultsOf(name: string): string[] {
  return faults.filter((fault) => fault.startsWith(`${name}.ts(`));
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
