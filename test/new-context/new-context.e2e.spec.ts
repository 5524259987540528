import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** Of each command, so that one that hangs is ended. It takes a tenth of that by itself, and more beside other specs. */
const LIMIT_MILLIS = 600_000;
const root = join(import.meta.dirname, '../..');
const FOLDERS = ['libs/contexts/vouchers', 'projections/vouchers', 'apps/api/vouchers'];
const CONTEXT = FOLDERS[0]!;
/** The copy, in which `npm run new:context vouchers` is run. */
let copy: string;
let generated: Ended;

interface Ended {
  readonly code: number;
  /** Both streams. */
  readonly printed: string;
}

/** What a command prints in the copy, and how it ends. */
function inCopy(program: string, ...args: string[]): Promise<Ended> {
  return run(copy, program, args);
}

function run(cwd: string, program: string, args: string[]): Promise<Ended> {
  const options = { cwd, timeout: LIMIT_MILLIS, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, printed: stdout + stderr });
    });
  });
}

/** A program of a package, run by the Node of the tests. */
const bin = (name: string, ...args: string[]) =>
  inCopy(process.execPath, join(copy, 'node_modules/.bin', name), ...args);
const cruised = (config: string, ...folders: string[]) => bin('depcruise', '--config', config, ...folders);
const git = async (...args: string[]): Promise<string> => {
  const { code, printed } = await inCopy('git', ...args);
  if (code !== 0) throw new Error(printed);
  return printed;
};

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'new-context-'));
  const ours = await run(root, 'git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  if (ours.code !== 0) throw new Error(`The files of the project cannot be listed: ${ours.printed}`);
  // One that was removed and is not committed yet is listed too.
  const files = ours.printed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of files) await cp(join(root, file), join(copy, file));
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await git('init', '--quiet');
  await git('add', '--all');
  await git(
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    '-c',
    'commit.gpgSign=false',
    'commit',
    '--quiet',
    '--no-verify',
    '--message',
    'Before',
  );
  generated = await inCopy(process.execPath, 'apps/cli/bootstrap.mjs', 'new-context', 'vouchers');
}, LIMIT_MILLIS);
afterAll(() => rm(copy, { recursive: true, force: true }));

describe('a context that npm run new:context has made', () => {
  it('is in three folders, and nothing else has changed', async () => {
    expect(generated).toEqual({ code: 0, printed: expect.stringContaining('The context vouchers:') });
    const changed = (await git('status', '--porcelain', '--untracked-files=normal')).trim().split('\n');
    expect(changed.toSorted()).toEqual(FOLDERS.map((folder) => `?? ${folder}/`).toSorted());
  });

  it(
    'keeps to the rules of the linters, which name a manifest without audit rules and nothing else',
    async () => {
      // Types and rules take long, so they are checked once, with a defect in a file of its own.
      const manifest = await readFile(join(copy, CONTEXT, 'vouchers.context.ts'), 'utf8');
      const without = manifest.replace(/^.*auditTrailRules.*\n/gm, '');
      expect(without).not.toBe(manifest);
      const planted = join(copy, CONTEXT, 'planted.context.ts');
      await writeFile(planted, without);
      const { code, printed } = await inCopy(process.execPath, 'test/types-and-rules.mjs', ...FOLDERS);
      await rm(planted);
      expect(code).not.toBe(0);
      const [named, ...more] = printed.trim().split(/\n(?=\S)/);
      expect([named, more]).toEqual([
        expect.stringMatching(
          /^libs\/contexts\/vouchers\/planted\.context\.ts\(\d+,\d+\): error TS2345: [^]*Property 'auditTrailRules' is missing in type /,
        ),
        [],
      ]);
      expect(await bin('prettier', '--check', '--log-level', 'warn', ...FOLDERS)).toEqual({
        code: 0,
        printed: '',
      });
      const none = { code: 0, printed: expect.stringContaining('no dependency violations found') };
      expect(await cruised('.dependency-cruiser.cjs', ...FOLDERS)).toEqual(none);
    },
    LIMIT_MILLIS,
  );

  it(
    'decides, is projected, audited and answered for over HTTP: its own specs pass, and its test endpoints are complete',
    async () => {
      const report = join(copy, 'report.json');
      const { code, printed } = await bin(
        'jest',
        'vouchers|endpoint-tables',
        '--json',
        '--outputFile',
        report,
        '--runInBand',
      );
      if (code !== 0) throw new Error(`The specs ended with ${code}:\n${printed}`);
      const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
        testResults: { name: string; status: string }[];
      };
      const passed = testResults.map(({ name, status }) => `${status} ${name.slice(copy.length + 1)}`);
      expect(passed.toSorted()).toEqual([
        'passed apps/api/vouchers/vouchers.e2e.spec.ts',
        'passed libs/contexts/vouchers/voucher.spec.ts',
        'passed test/support/endpoint-tables.spec.ts',
      ]);
    },
    LIMIT_MILLIS,
  );
});

/** `route-access.spec.ts` has a permission that nobody has, `codec.spec.ts` an unknown event type. */
describe('the check of pure code', () => {
  it(
    'names a decider that loads something impure two files away',
    async () => {
      const voucher = await readFile(join(copy, CONTEXT, 'voucher.ts'), 'utf8');
      const write = (name: string, text: string) => writeFile(join(copy, CONTEXT, name), text);
      await write('impure-voucher.ts', `export { LIMIT } from './limits.js';\n${voucher}`);
      await write('limits.ts', `export { LIMIT } from './limit-store.js';\n`);
      await write('limit-store.ts', `import pg from 'pg';\n\nexport const LIMIT = pg.defaults.database;\n`);
      const { code, printed } = await cruised('.purity.cjs', CONTEXT);
      expect(code).not.toBe(0);
      const violations = printed.replaceAll(/\S*(?=node_modules)/g, '').match(/^ *error .*(\n {6}.*)*/gm);
      expect(violations).toContain(
        [
          `  error pure-code-loads-nothing-impure: ${CONTEXT}/impure-voucher.ts → node_modules/pg/esm/index.mjs`,
          `      ${CONTEXT}/limits.ts →`,
          `      ${CONTEXT}/limit-store.ts →`,
          '      node_modules/pg/esm/index.mjs',
        ].join('\n'),
      );
      // What pg loads in turn is named too, each with the same way to it.
      expect(violations!.filter((one) => !one.includes(`${CONTEXT}/impure-voucher.ts →`))).toEqual([]);
    },
    LIMIT_MILLIS,
  );
});
